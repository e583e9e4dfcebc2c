// SPDX-License-Identifier: Apache-2.0
#include "app/worker/checksum.h"

#include <cstring>

namespace fuselab::worker {

std::uint64_t checksum(std::span<const std::byte> bytes) {
  std::uint64_t lanes[4] = {1, 2, 3, 4};
  std::size_t lane = 0;
  for (std::size_t i = 0; i < bytes.size(); i += 8) {
    std::uint64_t word = 0;
    std::memcpy(&word, bytes.data() + i, i + 8 <= bytes.size() ? 8 : bytes.size() - i);
    lanes[lane] = (lanes[lane] ^ word) * 0x9e3779b97f4a7c15ULL;
    lanes[lane] ^= lanes[lane] >> 29;
    lane = (lane + 1) % 4;
  }
  std::uint64_t sum = bytes.size();
  for (std::uint64_t const each : lanes) sum = (sum ^ each) * 0xbf58476d1ce4e5b9ULL;
  return sum ^ (sum >> 32);
}

}  // namespace fuselab::worker
