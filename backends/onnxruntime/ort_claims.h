// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "backends/library/claims.h"
#include "core/ops/integer_product.h"

namespace fuselab::onnxruntime {

// A pair of products of u8 and i8, which is added in 16 bits.
inline bool multiplies_u8_by_i8(const Graph& graph, const Node& node) {
  const auto product = integer_product_of(graph, node);
  return product && product->a.dtype == DType::kU8 && product->b.dtype == DType::kI8;
}

inline bool has_mask(const Graph&, const Node& node) {
  return node.inputs.size() > 3;
}

// Seen with 1.32.0 on AVX2.
inline constexpr library::OpFinding kComputedWrong[] = {
    {Op::kArgMax, "ONNX Runtime names another place where there is NaN"},
    {Op::kArgMin, "ONNX Runtime names another place where there is NaN"},
    {Op::kHardmax, "ONNX Runtime names another place where there is NaN"},
    {Op::kLSTM, "ONNX Runtime leaves ten times the tolerance of f32 here"},
    {Op::kMatMul, "ONNX Runtime saturates sums of u8 times i8 without AVX512-VNNI", library::SeenOn::kWithoutVnni,
     multiplies_u8_by_i8},
    {Op::kAttention, "ONNX Runtime makes NaN of what a mask hides", library::SeenOn::kAll, has_mask}};
inline constexpr library::OpLoss kLosesNan[] = {Op::kShrink, Op::kThresholdedRelu, Op::kReduceMax, Op::kMaxPool};
// Sigmoid, also within Swish, leaves the tolerance of f32 where the result is small (7e-4 of it at -10), RNN everywhere (1e-4 of a
// result), GRU where inputs are large (2e-2 of a result).
inline constexpr library::OpLoss kLosesPrecision[] = {Op::kSigmoid, Op::kSwish, Op::kGRU, Op::kRNN};

// What the conformance suite proved in f32. Whether a piece is taken is asked of the library besides.
inline constexpr library::Claims kClaims{.wrong = kComputedWrong, .loses_nan = kLosesNan, .loses_precision = kLosesPrecision};

}  // namespace fuselab::onnxruntime
