// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace fuselab {

// SplitMix64 (Steele, Lea, Flood 2014): a seeded generator whose stream is part of stored results,
// so it must never change and must not depend on the standard library's distributions.
class SeededRandom {
 public:
  explicit SeededRandom(std::uint64_t seed) : state_(seed) {}

  std::uint64_t next() {
    state_ += 0x9e3779b97f4a7c15ULL;
    std::uint64_t z = state_;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
    return z ^ (z >> 31);
  }
  // Returns a uniform number in [0, bound); bound > 0. The bias of the multiply-shift is below 2^-64 * bound.
  std::uint64_t below(std::uint64_t bound) {
    __extension__ using Wide = unsigned __int128;  // a compiler extension, as -Wpedantic wants to be told
    return static_cast<std::uint64_t>((static_cast<Wide>(next()) * bound) >> 64);
  }
  // Returns a uniform number in [0, 1) with 53 bits.
  double unit() { return static_cast<double>(next() >> 11) * 0x1.0p-53; }

 private:
  std::uint64_t state_;
};

}  // namespace fuselab
