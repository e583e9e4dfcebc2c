// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>

namespace fuselab::mkl {

// Numbers of bf16 are the upper halves of those of f32. MKL multiplies them and converts none.
inline float widened(std::uint16_t number) {
  return std::bit_cast<float>(std::uint32_t{number} << 16);
}

// Rounds to the nearest, to the even one of two.
inline std::uint16_t narrowed(float number) {
  constexpr std::uint32_t kQuiet = 0x00400000;
  const auto bits = std::bit_cast<std::uint32_t>(number);
  const std::uint32_t rounded = bits + 0x7fff + (bits >> 16 & 1);
  return static_cast<std::uint16_t>((std::isnan(number) ? bits | kQuiet : rounded) >> 16);
}

}  // namespace fuselab::mkl
