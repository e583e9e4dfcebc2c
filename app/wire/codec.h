// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "app/wire/messages.h"
#include "core/base/result.h"

namespace fuselab::wire {

// Messages ↔ whole frames. Encoding fails only when a message would exceed a frame. Decoding trusts nothing: malformed,
// truncated, foreign or absurd bytes give one kCorrupt error; memory stays proportional to the frame's real length.
Result<std::vector<std::byte>> encode(const Request& request);
Result<std::vector<std::byte>> encode(const Reply& reply);
Result<Request> decode_request(std::span<const std::byte> frame);
Result<Reply> decode_reply(std::span<const std::byte> frame);

}  // namespace fuselab::wire
