// SPDX-License-Identifier: Apache-2.0
#include "core/tensor/small_float.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

#include "core/base/assert.h"

namespace fuselab::detail {
namespace {

constexpr SmallFloat kF16 = {5, 10, 0x7bff, 0x7c00, 0x7e00, true};
constexpr SmallFloat kBF16 = {8, 7, 0x7f7f, 0x7f80, 0x7fc0, true};
constexpr SmallFloat kE4M3 = {4, 3, 0x7e, 0x7e, 0x7f, false};
constexpr SmallFloat kE5M2 = {5, 2, 0x7b, 0x7c, 0x7e, true};

constexpr int kDoubleMantissa = 52;

}  // namespace

bool is_small_float(DType dtype) {
  return dtype == DType::kF16 || dtype == DType::kBF16 || dtype == DType::kF8E4M3 || dtype == DType::kF8E5M2;
}

const SmallFloat& small_float_of(DType dtype) {
  switch (dtype) {
    case DType::kF16: return kF16;
    case DType::kBF16: return kBF16;
    case DType::kF8E4M3: return kE4M3;
    case DType::kF8E5M2: return kE5M2;
    default: break;
  }
  FL_ASSERT(false);
}

std::uint32_t SmallFloat::encode(double value) const {
  const std::uint64_t bits = std::bit_cast<std::uint64_t>(value);
  const std::uint32_t sign = static_cast<std::uint32_t>(bits >> 63) << (exponent_bits + mantissa_bits);
  if (std::isnan(value)) return sign | nan;
  if (std::isinf(value)) return sign | overflow;
  const int exponent = static_cast<int>(bits >> kDoubleMantissa & 0x7ff) - 1023;
  if (exponent < -1022) return sign;  // a double subnormal is far below half of any of our subnormals
  const int least = 1 - bias();
  const std::uint64_t mantissa = (bits & ((1ULL << kDoubleMantissa) - 1)) | 1ULL << kDoubleMantissa;
  const int shift = kDoubleMantissa - mantissa_bits + std::max(0, least - exponent);
  if (shift > kDoubleMantissa + 2) return sign;
  const std::uint64_t odd = mantissa >> shift & 1;
  const std::uint64_t rounded = (mantissa + (1ULL << (shift - 1)) - 1 + odd) >> shift;
  // The hidden bit, or a carry out of the mantissa, lands in the exponent field by itself.
  const std::uint64_t code = (static_cast<std::uint64_t>(std::max(exponent, least) - least) << mantissa_bits) + rounded;
  return sign | (code > largest ? overflow : static_cast<std::uint32_t>(code));
}

double SmallFloat::decode(std::uint32_t code) const {
  const std::uint32_t sign_bit = 1U << (exponent_bits + mantissa_bits);
  const std::uint32_t magnitude = code & (sign_bit - 1);
  const double sign = (code & sign_bit) != 0 ? -1.0 : 1.0;
  if (magnitude > largest) {
    const bool infinite = has_infinity && magnitude == overflow;
    return infinite ? sign * std::numeric_limits<double>::infinity() : std::numeric_limits<double>::quiet_NaN();
  }
  const std::uint32_t exponent = magnitude >> mantissa_bits;
  const std::uint32_t fraction = magnitude & ((1U << mantissa_bits) - 1);
  const std::uint32_t mantissa = exponent == 0 ? fraction : fraction | 1U << mantissa_bits;
  const int scale = static_cast<int>(std::max(exponent, 1U)) - bias() - mantissa_bits;
  return sign * mantissa * std::bit_cast<double>(static_cast<std::uint64_t>(scale + 1023) << kDoubleMantissa);
}

double lowest_of(DType dtype) {
  if (is_floating(dtype)) return -std::numeric_limits<double>::infinity();
  if (dtype == DType::kI64) return -0x1p63;  // the largest one is no double
  return is_unsigned(dtype) || dtype == DType::kBool ? 0 : -largest_of(dtype) - 1;
}

double largest_of(DType dtype) {
  if (is_small_float(dtype)) return small_float_of(dtype).decode(small_float_of(dtype).largest);
  switch (dtype) {
    case DType::kF64: return std::numeric_limits<double>::max();
    case DType::kF32: return std::numeric_limits<float>::max();
    case DType::kI64: return 0x1p63;
    case DType::kI32: return 0x1p31 - 1;
    case DType::kU64: return 0x1p64;
    case DType::kU32: return 0x1p32 - 1;
    case DType::kU16: return 0x1p16 - 1;
    case DType::kI16: return 0x1p15 - 1;
    case DType::kI8: return 127;
    case DType::kU8: return 255;
    case DType::kI4: return 7;
    case DType::kU4: return 15;
    default: return 1;  // bool
  }
}

double smallest_normal_of(DType dtype) {
  if (dtype == DType::kF64) return std::numeric_limits<double>::min();
  if (dtype == DType::kF32) return std::numeric_limits<float>::min();
  return std::ldexp(1.0, 1 - small_float_of(dtype).bias());
}

double smallest_subnormal_of(DType dtype) {
  if (dtype == DType::kF64) return std::numeric_limits<double>::denorm_min();
  if (dtype == DType::kF32) return std::numeric_limits<float>::denorm_min();
  return small_float_of(dtype).decode(1);
}

}  // namespace fuselab::detail
