// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "core/graph/graph.h"

namespace fuselab::detail {

// The values that an operand may take, found from how the graph uses it.
enum class InputRole {
  kActivation,  // any real
  kWeight,      // real, scaled by 1 / sqrt(fan-in)
  kScale,       // around 1: the gain of a normalisation
  kPositive,    // > 0: a variance, a second moment, a logarithm's operand
  kDivisor,     // away from 0
  kIndex,       // integer in [0, bound)
  kMask,        // mask of an attention: among specials some rows hide all keys; no other row does
  kByte,        // any number of 8 bits: an operand of an integer product, whose sums overflow in narrower ones
};

struct InputUse {
  InputRole role = InputRole::kActivation;
  std::int64_t bound = 0;   // for kIndex
  std::int64_t fan_in = 1;  // for kWeight
};

// Returns the role of input X of a concrete graph, following views, Cast and Transpose:
//   the indices of a Gather or Scatter, the labels of a loss, RotaryEmbedding's positions     → kIndex below the extent they index
//   BatchNormalization's variance                                           → kPositive
//   X reaches Sqrt, Log or the base of Pow with a fractional exponent through Add, Div's numerator, Mul by a constant
//   or a one-element operand, ReduceSum or ReduceMean                       → kPositive (Adam's second moment)
//   X is a divisor (of Div or Mod) or feeds Reciprocal                                      → kDivisor
//   scale of a normalisation                                                → kScale
//   X is of 8 bits and cast to i32                                          → kByte
//   second operand of MatMul or Gemm, filter of Conv, when X is a param     → kWeight
//   filter of a Conv with padding, whatever made it                         → kWeight
InputUse use_of(const Graph& graph, ValueId input);

}  // namespace fuselab::detail
