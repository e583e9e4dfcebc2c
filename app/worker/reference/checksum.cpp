// SPDX-License-Identifier: Apache-2.0
#include "app/worker/reference/checksum.h"

#include <algorithm>
#include <cstring>

namespace fuselab::worker {

namespace {

std::uint64_t mixed(std::uint64_t lane, std::uint64_t word) {
  lane = (lane ^ word) * 0x9e3779b97f4a7c15ULL;
  return lane ^ (lane >> 29);
}

}  // namespace

// Four lanes, so that one multiplication need not wait for the other.
std::uint64_t checksum(std::span<const std::byte> bytes) {
  std::uint64_t lanes[4] = {1, 2, 3, 4};
  for (std::size_t i = 0; i < bytes.size(); i += sizeof lanes) {
    std::uint64_t words[4] = {};
    std::memcpy(words, bytes.data() + i, std::min(sizeof words, bytes.size() - i));
    for (int lane = 0; lane < 4; ++lane) lanes[lane] = mixed(lanes[lane], words[lane]);
  }
  std::uint64_t sum = bytes.size();
  for (const std::uint64_t each : lanes) sum = (sum ^ each) * 0xbf58476d1ce4e5b9ULL;
  return sum ^ (sum >> 32);
}

}  // namespace fuselab::worker
