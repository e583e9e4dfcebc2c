// SPDX-License-Identifier: Apache-2.0
#include "backends/codegen/cpu/recurrence/activated.h"

namespace fuselab::codegen {

ExprPtr bounded(const ExprPtr& x, double low, double high) {
  return call("min", x->type, {call("max", x->type, {x, real(low, x->type)}), real(high, x->type)});
}

ExprPtr activated(const Activation& activation, const ExprPtr& x) {
  const IrType type = x->type;
  const ExprPtr alpha = real(activation.alpha, type), beta = real(activation.beta, type);
  // Not 0 where x is above 0, and where it is no number.
  const auto is_above = [&](const ExprPtr& number) { return call("relu", type, {number}); };
  switch (activation.kind) {
    case Activation::Kind::kRelu: return call("relu", type, {x});
    case Activation::Kind::kTanh: return call("tanh", type, {x});
    case Activation::Kind::kSigmoid: return call("sigmoid", type, {x});
    case Activation::Kind::kAffine: return x * alpha + beta;
    case Activation::Kind::kLeakyRelu: return call("leaky_relu", type, {x, alpha});
    case Activation::Kind::kThresholdedRelu: return call("where", type, {is_above(x - alpha), x, real(0, type)});
    case Activation::Kind::kScaledTanh: return call("tanh", type, {x * beta}) * alpha;
    case Activation::Kind::kHardSigmoid: return bounded(x * alpha + beta, 0, 1);
    case Activation::Kind::kElu: {
      const ExprPtr below = call("exp", type, {call("min", type, {x, real(0, type)})}) - real(1, type);
      return call("where", type, {is_above(x), x, below * alpha});
    }
    case Activation::Kind::kSoftsign: return x / (call("abs", type, {x}) + real(1, type));
    case Activation::Kind::kSoftplus: {
      const ExprPtr fall = call("exp", type, {call("neg", type, {call("abs", type, {x})})});
      return call("relu", type, {x}) + call("log", type, {fall + real(1, type)});
    }
  }
  return x;
}

}  // namespace fuselab::codegen
