// SPDX-License-Identifier: Apache-2.0
#include "backends/openvino/ov_claims.h"

#include <string>

#include "backends/library/claims.h"
#include "backends/openvino/abi/openvino_abi.h"

namespace fuselab::openvino {
namespace {

// Seen with 2026.4.1 on AVX2, as a model of one operator.
constexpr library::OpFinding kComputedWrong[] = {
    {Op::kMod, "OpenVINO leaves the tolerance of f32 here"},
    {Op::kArgMax, "OpenVINO names another place where there is NaN"},
    {Op::kArgMin, "OpenVINO names another place where there is NaN"},
    {Op::kHardmax, "OpenVINO names another place where there is NaN"},
    {Op::kTopK, "OpenVINO names another place where there is NaN"},
    {Op::kGatherND, "OpenVINO reads foreign memory where an index is out of range"},
    {Op::kScatterElements, "OpenVINO writes foreign memory where an index is below its range"}};
// Seen with 2026.4.1 on AVX-512 alone.
constexpr library::OpFinding kComputedWrongOnAvx512[] = {{Op::kGreater, "OpenVINO finds NaN to be greater on AVX-512"},
                                                         {Op::kGreaterOrEqual, "OpenVINO finds NaN to be greater on AVX-512"}};
// Some nodes of an operator alone.
struct Form {
  bool (*is_it)(const Node&);
  const char* what;
};
constexpr Form kFormsComputedWrong[] = {
    {[](const Node& node) { return node.op == Op::kAttention && node.inputs.size() > 3; },
     "OpenVINO gives 0 where a mask hides NaN and infinity"},
    {[](const Node& node) { return node.op == Op::kLSTM && node.inputs.size() > 7; }, "OpenVINO leaves peepholes out"},
    {[](const Node& node) { return (node.op == Op::kMax || node.op == Op::kMin) && node.inputs.size() == 1; },
     "OpenVINO leaves the result of one operand unwritten"}};
// Seen there, too.
constexpr Op kLosesNan[] = {Op::kRelu,      Op::kClip,    Op::kMin,     Op::kMax,        Op::kExp,
                            Op::kReduceMax, Op::kMaxPool, Op::kSoftmax, Op::kLogSoftmax, Op::kSoftmaxCrossEntropyLoss};
// Erf leaves the tolerance of f32; the others make NaN of infinity, Gelu on AVX-512 alone.
constexpr Op kLosesPrecision[] = {Op::kErf, Op::kShrink, Op::kThresholdedRelu};
constexpr Op kLosesPrecisionOnAvx512[] = {Op::kGelu};

bool has_avx512() {
#if defined(__x86_64__)
  return __builtin_cpu_supports("avx512f") != 0;
#else
  return false;
#endif
}

// What is computed wrong on this processor; null: nothing is known.
const char* wrong_in(Op op) {
  if (const char* const known = library::finding_of(kComputedWrong, op)) return known;
  return has_avx512() ? library::finding_of(kComputedWrongOnAvx512, op) : nullptr;
}

}  // namespace

const std::vector<Op>& claimed_operators() {
  static const std::vector<Op> claimed = [] {
    std::vector<Op> operators;
    for (const Op op : computed_ops()) {
      // Logic computes bool alone, which is not claimed.
      if (!is_logic(op) && wrong_in(op) == nullptr) operators.push_back(op);
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
  FL_TRY_VOID(library::has_elements(graph));
  for (const Value& value : graph.values()) {
    if (!element_type(value.type.dtype)) {
      return Error{ErrorCode::kUnsupported,
                   "OpenVINO computes " + std::string(name_of(value.type.dtype)) + " as another type here"};
    }
  }
  for (const Node& node : graph.nodes()) {
    if (const char* const wrong = wrong_in(node.op))
      return Error{ErrorCode::kUnsupported, std::string(name_of(node.op)) + ": " + wrong};
  }
  for (const Node& node : graph.nodes()) {
    for (const Form& each : kFormsComputedWrong) {
      if (each.is_it(node)) return Error{ErrorCode::kUnsupported, std::string(name_of(node.op)) + ": " + each.what};
    }
  }
  return {};
}

Drawbacks drawbacks_in(const Graph& graph) {
  Drawbacks drawbacks = library::drawbacks_in(graph, kLosesNan, kLosesPrecision);
  if (has_avx512() && library::holds_any(graph, kLosesPrecisionOnAvx512)) drawbacks.add(Drawback::kPrecisionLoss);
  return drawbacks;
}

}  // namespace fuselab::openvino
