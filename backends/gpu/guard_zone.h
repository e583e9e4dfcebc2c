// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>

namespace fuselab::gpu {

// The use that kernels make of a buffer. A NaN that a kernel read outside an input and wrote elsewhere must not look like the zone
// that it overwrites, so the two uses have different patterns.
enum class Access { kRead, kWritten };

// Returns the bytes before and behind a buffer. A kernel's writes outside the buffer change them, and its reads outside give NaN in
// every floating type. Reads are not noticed otherwise: devices have no pages to guard with.
template <std::size_t kBytes>
std::array<std::byte, kBytes> guard_zone(Access access) {
  // 0x7ff5 repeated is NaN as f16, bf16, f32 and f64; so is 0x7ff6.
  std::array<std::byte, kBytes> bytes;
  for (std::size_t i = 0; i < bytes.size(); i += 2) {
    bytes[i] = access == Access::kRead ? std::byte{0xf5} : std::byte{0xf6};
    bytes[i + 1] = std::byte{0x7f};
  }
  return bytes;
}

}  // namespace fuselab::gpu
