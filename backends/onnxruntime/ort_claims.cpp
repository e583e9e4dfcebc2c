// SPDX-License-Identifier: Apache-2.0
#include "backends/onnxruntime/ort_claims.h"

#include <string>

#include "backends/library/claims.h"
#include "core/cost/integer_product.h"

namespace fuselab::onnxruntime {
namespace {

// Seen with 1.32.0 on AVX2.
constexpr library::OpFinding kComputedWrong[] = {{Op::kArgMax, "ONNX Runtime names another place where there is NaN"},
                                                 {Op::kArgMin, "ONNX Runtime names another place where there is NaN"},
                                                 {Op::kHardmax, "ONNX Runtime names another place where there is NaN"},
                                                 {Op::kLSTM, "ONNX Runtime leaves ten times the tolerance of f32 here"}};
constexpr Op kLosesNan[] = {Op::kShrink, Op::kThresholdedRelu, Op::kReduceMax, Op::kMaxPool};
// Sigmoid, also within Swish, leaves the tolerance of f32 where the result is small (7e-4 of it at -10), RNN everywhere (1e-4 of a
// result), GRU where inputs are large (2e-2 of a result).
constexpr Op kLosesPrecision[] = {Op::kSigmoid, Op::kSwish, Op::kGRU, Op::kRNN};

// Without such instructions a pair of products of u8 and i8 is added in 16 bits, which saturates (seen with 1.32.0 on AVX2).
bool adds_bytes_exactly() {
#if defined(__x86_64__)
  return __builtin_cpu_supports("avx512vnni") != 0;
#else
  return true;
#endif
}

bool may_saturate(const Graph& graph, const Node& node) {
  const auto product = integer_product_of(graph, node);
  return product && product->a.dtype == DType::kU8 && product->b.dtype == DType::kI8 && !adds_bytes_exactly();
}

}  // namespace

const std::vector<Op>& claimed_operators() {
  static const std::vector<Op> claimed = [] {
    std::vector<Op> operators;
    for (const Op op : computed_ops()) {
      // Logic computes bool alone, which is not claimed.
      if (!is_logic(op) && library::finding_of(kComputedWrong, op) == nullptr) operators.push_back(op);
    }
    return operators;
  }();
  return claimed;
}

const std::vector<DType>& claimed_types() {
  static const std::vector<DType> types = {DType::kF32};
  return types;
}

Status may_hold(const Graph& graph) {
  FL_TRY_VOID(library::has_elements(graph));
  for (const Node& node : graph.nodes()) {
    if (const char* const wrong = library::finding_of(kComputedWrong, node.op)) {
      return Error{ErrorCode::kUnsupported, std::string(name_of(node.op)) + ": " + wrong};
    }
    if (may_saturate(graph, node)) {
      return Error{ErrorCode::kUnsupported, "MatMul: ONNX Runtime saturates sums of u8 times i8 without AVX512-VNNI"};
    }
    if (node.op == Op::kAttention && node.inputs.size() > 3) {
      return Error{ErrorCode::kUnsupported, "Attention: ONNX Runtime makes NaN of what a mask hides"};
    }
  }
  return {};
}

Drawbacks drawbacks_in(const Graph& graph) {
  return library::drawbacks_in(graph, kLosesNan, kLosesPrecision);
}

}  // namespace fuselab::onnxruntime
