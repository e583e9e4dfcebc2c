// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "app/wire/messages.h"
#include "core/base/result.h"

namespace fuselab::wire {

// Convert messages to whole frames and back. Encoding fails only when a message would exceed a frame. Decoding does not trust its
// input: memory stays proportional to the frame's real length.
// Fails with kCorrupt for malformed, truncated, foreign or absurd bytes.
Result<std::vector<std::byte>> encode(const Request& request);
Result<std::vector<std::byte>> encode(const Reply& reply);
Result<Request> decode_request(std::span<const std::byte> frame);
Result<Reply> decode_reply(std::span<const std::byte> frame);

}  // namespace fuselab::wire
