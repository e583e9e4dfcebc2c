// SPDX-License-Identifier: Apache-2.0
#include "backends/onednn/claims.h"

#include <algorithm>

#include "backends/library/claims.h"

namespace fuselab::onednn {
namespace {

// Seen on AVX-512, as primitives of their own and as post-ops: Log with 2.6.3 and 3.2.0 and Gelu with 2.6.3 leave the tolerance of
// f32, and Gelu makes NaN of infinity with 3.2.0.
constexpr Op kLosesPrecision[] = {Op::kLog, Op::kGelu};
// Seen there with 2.6.3 and 3.2.0.
constexpr Op kLosesNan[] = {Op::kRelu,      Op::kClip,    Op::kMin,        Op::kMax,    Op::kExp,
                            Op::kReduceMax, Op::kSoftmax, Op::kLogSoftmax, Op::kMaxPool};

}  // namespace

const std::vector<Op>& claimed_operators() {
  static const std::vector<Op> claimed = {Op::kIdentity,    Op::kNeg,
                                          Op::kAbs,         Op::kSqrt,
                                          Op::kReciprocal,  Op::kTanh,
                                          Op::kSigmoid,     Op::kLeakyRelu,
                                          Op::kSwish,       Op::kCast,
                                          Op::kAdd,         Op::kSub,
                                          Op::kMul,         Op::kDiv,
                                          Op::kReduceSum,   Op::kReduceMean,
                                          Op::kReduceProd,  Op::kLayerNormalization,
                                          Op::kMatMul,      Op::kGemm,
                                          Op::kConv,        Op::kBatchNormalization,
                                          Op::kAveragePool, Op::kGlobalAveragePool,
                                          Op::kTranspose,   Op::kReshape,
                                          Op::kFlatten,     Op::kUnsqueeze,
                                          Op::kSqueeze,     Op::kRelu,
                                          Op::kClip,        Op::kMin,
                                          Op::kMax,         Op::kExp,
                                          Op::kReduceMax,   Op::kSoftmax,
                                          Op::kLogSoftmax,  Op::kMaxPool,
                                          Op::kLog,         Op::kGelu};
  return claimed;
}

Drawbacks drawbacks_in(const Graph& graph) {
  return library::drawbacks_in(graph, kLosesNan, kLosesPrecision);
}

Support may_hold(Op op) {
  const auto& claimed = claimed_operators();
  const bool known = op == Op::kConstant || std::find(claimed.begin(), claimed.end(), op) != claimed.end();
  return known ? Support{} : Support::no("it is not asked of oneDNN");
}

// Seen with both, too: the second of two element-wise post-ops of one algorithm gets the factors of the first.
Support computes_as_said(const PrimitiveSpec& spec) {
  for (auto step = spec.post_ops.begin(); step != spec.post_ops.end(); ++step) {
    const auto differs = [step](const PostOp& other) {
      return is_eltwise(step->algorithm) && other.algorithm == step->algorithm &&
             (other.alpha != step->alpha || other.beta != step->beta);
    };
    if (std::any_of(spec.post_ops.begin(), step, differs)) {
      return Support::no("oneDNN takes the factors of the first " + std::string(name_of(step->algorithm)) +
                         " for the second (seen with 2.6.3 and 3.2.0)");
    }
  }
  return {};
}

}  // namespace fuselab::onednn
