// SPDX-License-Identifier: Apache-2.0
#include "backends/onnxruntime/ort_claims.h"

#include <algorithm>
#include <iterator>
#include <string>

#include "backends/library/claims.h"

namespace fuselab::onnxruntime {
namespace {

struct Wrong {
  Op op;
  const char* what;
};
// Seen with 1.32.0 on AVX2.
constexpr Wrong kComputedWrong[] = {
    {Op::kSigmoid, "ONNX Runtime leaves the tolerance of f32 where the result is small (7e-4 of it at -10)"},
    {Op::kSwish, "ONNX Runtime leaves the tolerance of f32 where the sigmoid within is small (7e-4 of it at -10)"},
    {Op::kArgMax, "ONNX Runtime names another place where there is NaN"},
    {Op::kArgMin, "ONNX Runtime names another place where there is NaN"},
    {Op::kHardmax, "ONNX Runtime names another place where there is NaN"},
    {Op::kLSTM, "ONNX Runtime leaves the tolerance of f32 where results are small"},
    {Op::kGRU, "ONNX Runtime leaves the tolerance of f32 (2e-2 of a result, where inputs are large)"},
    {Op::kRNN, "ONNX Runtime leaves the tolerance of f32 (1e-4 of a result)"}};
constexpr Op kLosesNan[] = {Op::kShrink, Op::kThresholdedRelu, Op::kReduceMax, Op::kMaxPool};

const Wrong* wrong_of(Op op) {
  const auto* const found =
      std::find_if(std::begin(kComputedWrong), std::end(kComputedWrong), [op](const Wrong& each) { return each.op == op; });
  return found == std::end(kComputedWrong) ? nullptr : found;
}

}  // namespace

const std::vector<Op>& claimed_operators() {
  static const std::vector<Op> claimed = [] {
    std::vector<Op> operators;
    for (int i = 0; i < static_cast<int>(Op::kConstant); ++i) {
      const Op op = static_cast<Op>(i);
      // Logic computes bool alone, which is not claimed.
      if (!is_logic(op) && wrong_of(op) == nullptr) operators.push_back(op);
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
    if (const Wrong* const wrong = wrong_of(node.op)) {
      return Error{ErrorCode::kUnsupported, std::string(name_of(node.op)) + ": " + wrong->what};
    }
    if (node.op == Op::kAttention && node.inputs.size() > 3) {
      return Error{ErrorCode::kUnsupported, "Attention: ONNX Runtime makes NaN of what a mask hides"};
    }
  }
  return {};
}

bool loses_nan(const Graph& graph) {
  return library::holds_any(graph, kLosesNan);
}

}  // namespace fuselab::onnxruntime
