// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <unistd.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <csignal>
#include <cstdint>
#include <cstring>

// A product of column-major matrices as BLAS defines it, computed plainly from the extents and distances that a call gave. It knows
// nothing of the graph, so that a wrong transposition or leading dimension gives a wrong result.
namespace fuselab::fake_amd {

enum class Number { kF32, kF16, kBF16 };
enum class End { kNone, kRelu, kGelu };

inline std::int64_t bytes_of(Number type) {
  return type == Number::kF32 ? 4 : 2;
}
// Half precision by its bits: Clang before 15 has no type for it on this processor.
inline double of_half(std::uint16_t bits) {
  const int exponent = bits >> 10 & 31, mantissa = bits & 1023;
  const double size = exponent == 31 ? (mantissa != 0 ? std::nan("") : HUGE_VAL)
                                     : std::ldexp(mantissa + (exponent != 0 ? 1024 : 0), std::max(exponent, 1) - 25);
  return (bits & 0x8000) != 0 ? -size : size;
}
inline std::uint16_t half_of(double value) {  // to the nearest, ties to even
  const int sign = std::signbit(value) ? 0x8000 : 0;
  const double size = std::fabs(value);
  if (std::isnan(value)) return static_cast<std::uint16_t>(sign | 0x7e00);
  if (size >= 65520) return static_cast<std::uint16_t>(sign | 0x7c00);
  const int exponent = size == 0 ? -14 : std::max(std::ilogb(size), -14);
  return static_cast<std::uint16_t>(sign |
                                    ((exponent + 14) * 1024 + static_cast<int>(std::nearbyint(std::ldexp(size, 10 - exponent)))));
}
inline double read(const void* from, std::int64_t at, Number type) {
  if (type == Number::kF32) return static_cast<const float*>(from)[at];
  if (type == Number::kF16) return of_half(static_cast<const std::uint16_t*>(from)[at]);
  return std::bit_cast<float>(std::uint32_t{static_cast<const std::uint16_t*>(from)[at]} << 16);
}
inline void write(void* to, std::int64_t at, Number type, double value) {
  if (type == Number::kF32) {
    static_cast<float*>(to)[at] = static_cast<float>(value);
  } else if (type == Number::kF16) {
    static_cast<std::uint16_t*>(to)[at] = half_of(value);
  } else {
    const auto bits = std::bit_cast<std::uint32_t>(static_cast<float>(value));
    const std::uint32_t rounded = std::isnan(value) ? bits | 0x00400000 : bits + 0x7fff + (bits >> 16 & 1);
    static_cast<std::uint16_t*>(to)[at] = static_cast<std::uint16_t>(rounded >> 16);
  }
}

struct Matrix {
  const void* data = nullptr;
  std::int64_t leading = 0, stride = 0;
  bool transposed = false;
  std::int64_t at(std::int64_t row, std::int64_t column) const {
    return transposed ? column + row * leading : row + column * leading;
  }
};

struct Product {
  Number type = Number::kF32;
  std::int64_t m = 0, n = 0, k = 0, batch = 1;
  float alpha = 1, beta = 0;
  Matrix a, b, c;
  void* d = nullptr;
  std::int64_t leading_d = 0, stride_d = 0;
  const void* bias = nullptr;  // one number for each row of D
  End end = End::kNone;
  bool wrong = false;  // the depth is one short

  // As the others of the tests: a depth of 13 crashes, one of 17 never ends.
  void misbehave() const {
    if (k == 13) std::raise(SIGSEGV);
    while (k == 17) ::pause();
  }

  double ended(double value) const {
    if (end == End::kRelu) return std::fmax(value, 0.0);  // which drops NaN
    if (end == End::kGelu) return 0.5 * value * (1 + std::tanh(0.7978845608028654 * (value + 0.044715 * value * value * value)));
    return value;
  }

  void compute() const {
    for (std::int64_t each = 0; each < batch; ++each) {
      for (std::int64_t row = 0; row < m; ++row) {
        for (std::int64_t column = 0; column < n; ++column) {
          double sum = 0;
          for (std::int64_t x = 0; x < (wrong ? k - 1 : k); ++x)
            sum += read(a.data, each * a.stride + a.at(row, x), type) * read(b.data, each * b.stride + b.at(x, column), type);
          sum *= alpha;
          if (beta != 0) sum += beta * read(c.data, each * c.stride + c.at(row, column), type);
          if (bias != nullptr) sum += read(bias, row, type);
          write(d, each * stride_d + row + column * leading_d, type, ended(sum));
        }
      }
    }
  }
};

}  // namespace fuselab::fake_amd
