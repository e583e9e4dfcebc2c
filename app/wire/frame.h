// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "core/base/result.h"

namespace fuselab::wire {

// Every message travels as one frame, little-endian:
//   "FLWR" | u16 version | u16 type (index in the Request or Reply variant) | u64 payload bytes | payload (CBOR)
inline constexpr std::size_t kHeaderBytes = 16;
inline constexpr std::uint64_t kMaximumPayload = std::uint64_t{1} << 30;

struct FrameHeader {
  std::uint16_t type = 0;
  std::uint64_t payload_bytes = 0;
};

// Reads the header from `bytes`, which has at least kHeaderBytes. Fails with kCorrupt for bytes that are no frame, a frame of
// another version, or an absurd length.
Result<FrameHeader> parse_header(std::span<const std::byte> bytes);
std::vector<std::byte> make_frame(std::uint16_t type, std::span<const std::byte> payload);

}  // namespace fuselab::wire
