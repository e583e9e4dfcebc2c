// SPDX-License-Identifier: Apache-2.0
#include "backends/openvino/ov_claims.h"

#include <algorithm>
#include <iterator>
#include <string>

#include "backends/openvino/abi/openvino_abi.h"

namespace fuselab::openvino {
namespace {

struct Wrong {
  Op op;
  const char* what;
};
// Seen with 2026.4.1 on AVX2, as a model of one operator.
constexpr Wrong kComputedWrong[] = {{Op::kErf, "OpenVINO leaves the tolerance of f32 here"},
                                    {Op::kMod, "OpenVINO leaves the tolerance of f32 here"},
                                    {Op::kShrink, "OpenVINO makes NaN of infinity"},
                                    {Op::kThresholdedRelu, "OpenVINO makes NaN of infinity"},
                                    {Op::kArgMax, "OpenVINO names another place where there is NaN"},
                                    {Op::kArgMin, "OpenVINO names another place where there is NaN"},
                                    {Op::kHardmax, "OpenVINO names another place where there is NaN"},
                                    {Op::kTopK, "OpenVINO names another place where there is NaN"}};
// Seen there, too.
constexpr Op kLosesNan[] = {Op::kRelu,      Op::kClip,    Op::kMin,     Op::kMax,        Op::kExp,
                            Op::kReduceMax, Op::kMaxPool, Op::kSoftmax, Op::kLogSoftmax, Op::kSoftmaxCrossEntropyLoss};

}  // namespace

const std::vector<Op>& claimed_operators() {
  static const std::vector<Op> claimed = [] {
    std::vector<Op> operators;
    for (int i = 0; i < static_cast<int>(Op::kConstant); ++i) {
      const Op op = static_cast<Op>(i);
      const auto is_it = [op](const Wrong& each) { return each.op == op; };
      // Logic computes bool alone, which is not claimed.
      if (!is_logic(op) && std::none_of(std::begin(kComputedWrong), std::end(kComputedWrong), is_it)) operators.push_back(op);
    }
    return operators;
  }();
  return claimed;
}

std::optional<int> element_type(DType dtype) {
  switch (dtype) {
    case DType::kF32: return abi::kF32;
    case DType::kI32: return abi::kI32;
    case DType::kI64: return abi::kI64;
    case DType::kI8: return abi::kI8;
    case DType::kU8: return abi::kU8;
    case DType::kBool: return abi::kBool;
    default: return std::nullopt;
  }
}

Status may_hold(const Graph& graph) {
  for (const Value& value : graph.values()) {
    const auto count = element_count(value.type.shape);
    if (!count.ok() || count.value() == 0) return Error{ErrorCode::kUnsupported, "a tensor without elements"};
    if (!element_type(value.type.dtype)) {
      return Error{ErrorCode::kUnsupported,
                   "OpenVINO computes " + std::string(name_of(value.type.dtype)) + " as another type here"};
    }
  }
  for (const Node& node : graph.nodes()) {
    const auto is_it = [&node](const Wrong& each) { return each.op == node.op; };
    const auto* const wrong = std::find_if(std::begin(kComputedWrong), std::end(kComputedWrong), is_it);
    if (wrong != std::end(kComputedWrong))
      return Error{ErrorCode::kUnsupported, std::string(name_of(node.op)) + ": " + wrong->what};
  }
  const auto hides = [](const Node& node) { return node.op == Op::kAttention && node.inputs.size() > 3; };
  if (std::any_of(graph.nodes().begin(), graph.nodes().end(), hides)) {
    return Error{ErrorCode::kUnsupported, "Attention: OpenVINO gives 0 where a mask hides NaN and infinity"};
  }
  return {};
}

bool loses_nan(const Graph& graph) {
  const auto loses = [](const Node& node) {
    return std::find(std::begin(kLosesNan), std::end(kLosesNan), node.op) != std::end(kLosesNan);
  };
  return std::any_of(graph.nodes().begin(), graph.nodes().end(), loses);
}

}  // namespace fuselab::openvino
