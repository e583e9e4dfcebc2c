// SPDX-License-Identifier: Apache-2.0
#include "backends/xla/claims.h"

#include <algorithm>
#include <iterator>

#include "backends/xla/stablehlo/stablehlo_text.h"

namespace fuselab::xla {
namespace {

struct Wrong {
  Op op;
  const char* what;
};
// Seen with PJRT 0.115 on AVX2.
constexpr Wrong kComputedWrong[] = {{Op::kPow, "XLA leaves the tolerance of f32 at denormal numbers (seen with PJRT 0.115)"}};
constexpr Op kLosesNan[] = {Op::kMin, Op::kMax, Op::kReduceMax, Op::kMaxPool, Op::kAttention};

bool is_asked_type(DType dtype) {
  return dtype == DType::kF32 || dtype == DType::kI32 || dtype == DType::kI64 || dtype == DType::kBool;
}

}  // namespace

const std::vector<Op>& claimed_operators() {
  static const std::vector<Op> claimed = {Op::kIdentity,
                                          Op::kNeg,
                                          Op::kAbs,
                                          Op::kExp,
                                          Op::kLog,
                                          Op::kSqrt,
                                          Op::kReciprocal,
                                          Op::kErf,
                                          Op::kTanh,
                                          Op::kSigmoid,
                                          Op::kRelu,
                                          Op::kLeakyRelu,
                                          Op::kGelu,
                                          Op::kSwish,
                                          Op::kClip,
                                          Op::kCast,
                                          Op::kSin,
                                          Op::kCos,
                                          Op::kFloor,
                                          Op::kCeil,
                                          Op::kRound,
                                          Op::kSign,
                                          Op::kIsNaN,
                                          Op::kIsInf,
                                          Op::kAdd,
                                          Op::kSub,
                                          Op::kMul,
                                          Op::kDiv,
                                          Op::kMin,
                                          Op::kMax,
                                          Op::kWhere,
                                          Op::kEqual,
                                          Op::kLess,
                                          Op::kGreater,
                                          Op::kLessOrEqual,
                                          Op::kGreaterOrEqual,
                                          Op::kReduceSum,
                                          Op::kReduceMean,
                                          Op::kReduceMax,
                                          Op::kReduceProd,
                                          Op::kSoftmax,
                                          Op::kLogSoftmax,
                                          Op::kLayerNormalization,
                                          Op::kRMSNormalization,
                                          Op::kMatMul,
                                          Op::kGemm,
                                          Op::kConv,
                                          Op::kAttention,
                                          Op::kBatchNormalization,
                                          Op::kMaxPool,
                                          Op::kAveragePool,
                                          Op::kGlobalAveragePool,
                                          Op::kRotaryEmbedding,
                                          Op::kTranspose,
                                          Op::kReshape,
                                          Op::kFlatten,
                                          Op::kUnsqueeze,
                                          Op::kSqueeze,
                                          Op::kExpand,
                                          Op::kConcat,
                                          Op::kSlice,
                                          Op::kSplit,
                                          Op::kGather,
                                          Op::kTrilu};
  return claimed;
}

Support may_compute(const Graph& graph) {
  const auto& claimed = claimed_operators();
  for (const Node& node : graph.nodes()) {
    if (is_square(graph, node)) continue;
    for (const Wrong& each : kComputedWrong) {
      if (each.op == node.op) return Support::no(std::string(name_of(node.op)) + ": " + each.what);
    }
    if (node.op != Op::kConstant && std::find(claimed.begin(), claimed.end(), node.op) == claimed.end())
      return Support::no(std::string(name_of(node.op)) + ": it is not asked of XLA");
  }
  for (const Value& value : graph.values()) {
    if (!is_asked_type(value.type.dtype)) return Support::no(std::string(name_of(value.type.dtype)) + " is not asked of XLA");
    const auto size = size_of(value.type);
    if (!size.ok()) return Support::no(size.error().message);
    if (size.value().count == 0) return Support::no("an empty tensor is not asked of XLA");
  }
  return {};
}

bool loses_nan(const Graph& graph) {
  return std::any_of(graph.nodes().begin(), graph.nodes().end(), [](const Node& node) {
    return std::find(std::begin(kLosesNan), std::end(kLosesNan), node.op) != std::end(kLosesNan);
  });
}

}  // namespace fuselab::xla
