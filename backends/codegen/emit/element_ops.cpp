// SPDX-License-Identifier: Apache-2.0
#include "backends/codegen/emit/element_ops.h"

#include "core/base/assert.h"

namespace fuselab::codegen {
namespace {

// x^y. Where y is a small constant, products, rounded one by one: at most 0.5 ulp for 2, 1.3 for 3 and 2 for 4.
ExprPtr power(const ExprPtr& x, const ExprPtr& y) {
  if (y->kind == Expr::Kind::kReal) {
    if (y->real == 1.0) return x;
    if (y->real == 2.0) return x * x;
    if (y->real == 3.0) return x * x * x;
    if (y->real == 4.0) return (x * x) * (x * x);
    if (y->real == -1.0) return real(1.0, x->type) / x;
  }
  return call("pow", x->type, {x, y});
}

ExprPtr fold(const char* function, const std::vector<ExprPtr>& args) {
  ExprPtr result = args[0];
  for (std::size_t i = 1; i < args.size(); ++i) result = call(function, result->type, {result, args[i]});
  return result;
}

}  // namespace

ExprPtr element_wise(Op op, std::string_view variant, const std::vector<ExprPtr>& args) {
  const ExprPtr& x = args.at(0);
  const IrType type = x->type;
  switch (op) {
    case Op::kIdentity:
    case Op::kCast: return x;
    case Op::kNeg: return call("neg", type, {x});
    case Op::kAbs: return call("abs", type, {x});
    case Op::kExp: return call("exp", type, {x});
    case Op::kLog: return call("log", type, {x});
    case Op::kSqrt: return call("sqrt", type, {x});
    case Op::kReciprocal: return real(1.0, type) / x;
    case Op::kErf: return call("erf", type, {x});
    case Op::kTanh: return call("tanh", type, {x});
    case Op::kSigmoid: return call("sigmoid", type, {x});
    case Op::kRelu: return call("relu", type, {x});
    case Op::kLeakyRelu: return call("leaky_relu", type, {x, args.at(1)});
    case Op::kGelu: return call(variant == "tanh" ? "gelu_tanh" : "gelu", type, {x});
    // At most 4 ulp; with an alpha, below zero, |αx|·(1 − sigmoid αx) more, from the rounding of αx.
    case Op::kSwish: {
      const bool plain = args.at(1)->kind == Expr::Kind::kReal && args[1]->real == 1.0;
      return x * call("sigmoid", type, {plain ? x : args[1] * x});
    }
    case Op::kClip: return call("min", type, {call("max", type, {x, args.at(1)}), args.at(2)});
    case Op::kAdd: return x + args.at(1);
    case Op::kSub: return x - args.at(1);
    case Op::kMul: return x * args.at(1);
    case Op::kDiv: return x / args.at(1);
    case Op::kPow: return power(x, args.at(1));
    case Op::kMin: return fold("min", args);
    case Op::kMax: return fold("max", args);
    case Op::kWhere: return call("where", type, {x, args.at(1), args.at(2)});
    default: break;
  }
  FL_ASSERT(false);
  return nullptr;
}

bool has_expression(Op op) {
  switch (op) {
    case Op::kIdentity:
    case Op::kNeg:
    case Op::kAbs:
    case Op::kExp:
    case Op::kLog:
    case Op::kSqrt:
    case Op::kReciprocal:
    case Op::kErf:
    case Op::kTanh:
    case Op::kSigmoid:
    case Op::kRelu:
    case Op::kLeakyRelu:
    case Op::kGelu:
    case Op::kSwish:
    case Op::kClip:
    case Op::kCast:
    case Op::kAdd:
    case Op::kSub:
    case Op::kMul:
    case Op::kDiv:
    case Op::kPow:
    case Op::kMin:
    case Op::kMax:
    case Op::kWhere: return true;
    default: return false;
  }
}

}  // namespace fuselab::codegen
