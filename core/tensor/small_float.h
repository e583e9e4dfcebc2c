// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "core/types/dtype.h"

namespace fuselab::detail {

// A binary floating format of at most 16 bits: sign, exponent, mantissa, IEEE subnormals.
struct SmallFloat {
  int exponent_bits;
  int mantissa_bits;
  std::uint32_t largest;   // code of the largest finite value
  std::uint32_t overflow;  // code that a finite value beyond it, or infinity, becomes
  std::uint32_t nan;
  bool has_infinity;

  int bits() const { return 1 + exponent_bits + mantissa_bits; }
  int bias() const { return (1 << (exponent_bits - 1)) - 1; }
  std::uint32_t encode(double value) const;  // round to nearest, ties to even, in one step
  double decode(std::uint32_t code) const;
};

// Returns the layout of f16, bf16, f8e4m3 (OCP "fn": no infinities, saturates) or f8e5m2.
const SmallFloat& small_float_of(DType dtype);
bool is_small_float(DType dtype);

// Returns the largest finite magnitude of any dtype.
double largest_of(DType dtype);
// Returns the value that no number of the type is below, minus infinity for floating types: the maximum of an empty set.
double lowest_of(DType dtype);
// Returns the smallest positive subnormal of a floating dtype.
double smallest_subnormal_of(DType dtype);
// Returns the smallest positive normal of a floating dtype.
double smallest_normal_of(DType dtype);

}  // namespace fuselab::detail
