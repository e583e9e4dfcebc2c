// SPDX-License-Identifier: Apache-2.0
// Element-wise operators on one element: reals in double (single_precision.h narrows them), whole numbers in 64 bits and then cut.
#include <limits>

#include "backends/codegen/emit/element_ops.h"
#include "backends/codegen/scalar/elements.h"
#include "core/ops/op_attributes.h"

namespace fuselab::codegen {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

ExprPtr whole(const std::string& function, std::vector<ExprPtr> args) {
  return call("whole_" + function, kIndex, std::move(args));
}

ExprPtr is_not_zero(const ExprPtr& x) {
  return binary("!=", x, integer(0));
}

ExprPtr is_zero(const ExprPtr& x) {
  return binary("==", x, integer(0));
}

// Returns what is left of a 64-bit number in a narrower type, as C and numpy have it.
ExprPtr cut(const ExprPtr& x, DType dtype) {
  if (bits_of(dtype) == 64 || dtype == DType::kBool) return x;
  return whole("to_" + std::string(name_of(dtype)), {x});
}

ExprPtr as_real(const ExprPtr& x) {
  return x->type == kIndex ? call("real", kElementReal, {x}) : x;
}

ExprPtr compare(const std::string& function, const ExprPtr& a, const ExprPtr& b) {
  return call(function, kIndex, {a, b});
}

ExprPtr comparison(Op op, const ExprPtr& a, const ExprPtr& b) {
  if (a->type == kIndex) {
    switch (op) {
      case Op::kEqual: return binary("==", a, b);
      case Op::kLess: return binary("<", a, b);
      case Op::kGreater: return binary(">", a, b);
      case Op::kLessOrEqual: return binary("<=", a, b);
      default: return binary(">=", a, b);
    }
  }
  switch (op) {
    case Op::kEqual: return compare("equal", a, b);
    case Op::kLess: return compare("less", a, b);
    case Op::kGreater: return compare("less", b, a);
    case Op::kLessOrEqual: return compare("no_more", a, b);
    default: return compare("no_more", b, a);
  }
}

ExprPtr logic(Op op, const std::vector<ExprPtr>& args) {
  switch (op) {
    case Op::kAnd: return binary("&&", is_not_zero(args[0]), is_not_zero(args[1]));
    case Op::kOr: return binary("!=", args[0] + args[1], integer(0));
    case Op::kXor: return binary("!=", is_not_zero(args[0]), is_not_zero(args[1]));
    default: return is_zero(args[0]);
  }
}

// Reals beyond the type are held at its ends, as our own conversion has it; NaN is 0.
ExprPtr cast(const ExprPtr& x, DType from, DType to) {
  if (is_floating(to)) return as_real(x);
  if (!is_floating(from)) return to == DType::kBool ? is_not_zero(x) : cut(x, to);
  if (to == DType::kBool) return is_zero(compare("equal", x, real(0, kElementReal)));
  const ExprPtr number = call("whole", kIndex, {x});
  const int bits = bits_of(to);
  if (bits == 64) return number;
  const std::int64_t most = (std::int64_t{1} << (is_unsigned(to) ? bits : bits - 1)) - 1;
  return whole("min", {whole("max", {number, integer(is_unsigned(to) ? 0 : -most - 1)}), integer(most)});
}

ExprPtr fold(const std::string& function, const std::vector<ExprPtr>& args) {
  ExprPtr result = args[0];
  for (std::size_t i = 1; i < args.size(); ++i) result = whole(function, {result, args[i]});
  return result;
}

// Bounds beyond what a whole number can be bound nothing.
std::int64_t whole_bound(double bound) {
  constexpr double kMost = 0x1p62;
  return static_cast<std::int64_t>(std::clamp(bound, -kMost, kMost));
}

ExprPtr clip(const ElementSite& site, ExprPtr x) {
  const Attributes& attributes = site.node.attributes;
  const auto bound = [&](const char* name) { return integer(whole_bound(attributes.real(name, 0))); };
  if (attributes.has("min")) x = whole("max", {x, bound("min")});
  return attributes.has("max") ? whole("min", {x, bound("max")}) : x;
}

// Returns null where whole numbers have no such operator.
ExprPtr whole_element(const ElementSite& site, const std::vector<ExprPtr>& args) {
  const ExprPtr& x = args[0];
  switch (site.node.op) {
    case Op::kIdentity: return x;
    case Op::kNeg: return whole("sub", {integer(0), x});
    case Op::kAbs: return whole("max", {x, whole("sub", {integer(0), x})});
    case Op::kRelu: return whole("max", {x, integer(0)});
    case Op::kSign: return binary(">", x, integer(0)) - binary("<", x, integer(0));
    case Op::kClip: return clip(site, x);
    case Op::kAdd: return whole("add", args);
    case Op::kSub: return whole("sub", args);
    case Op::kMul: return whole("mul", args);
    case Op::kDiv: return whole("div", args);
    case Op::kMod: return whole(site.node.attributes.integer("fmod", 0) != 0 ? "rest" : "modulo", args);
    case Op::kBitwiseAnd: return binary("&", x, args[1]);
    case Op::kMin: return fold("min", args);
    case Op::kMax: return fold("max", args);
    case Op::kWhere: return whole("choose", args);
    case Op::kPow: {
      if (args[1]->type == kIndex) return whole("power", args);
      return call("nearly_whole", kIndex, {call("pow", kElementReal, {as_real(x), args[1]})});
    }
    default: return nullptr;
  }
}

std::vector<ExprPtr> with_attributes(const Node& node, std::vector<ExprPtr> args) {
  const auto add = [&](const char* name, double otherwise) {
    args.push_back(real(node.attributes.real(name, otherwise), kElementReal));
  };
  switch (node.op) {
    case Op::kLeakyRelu: add("alpha", 0.01); break;
    case Op::kSwish:
    case Op::kThresholdedRelu: add("alpha", 1.0); break;
    case Op::kClip: add("min", -kInfinity), add("max", kInfinity); break;
    case Op::kShrink: add("bias", 0.0), add("lambd", 0.5); break;
    default: break;
  }
  return args;
}

ExprPtr infinite(const Node& node, const ExprPtr& x) {
  const bool below = node.attributes.integer("detect_negative", 1) != 0, above = node.attributes.integer("detect_positive", 1) != 0;
  const auto is = [&](double which) { return compare("equal", x, real(which, kElementReal)); };
  if (below && above) return is(kInfinity) + is(-kInfinity);
  return below ? is(-kInfinity) : (above ? is(kInfinity) : integer(0));
}

ExprPtr real_element(const Node& node, const std::vector<ExprPtr>& args) {
  switch (node.op) {
    case Op::kWhere: return call("choose", kElementReal, args);
    case Op::kSin: return call("sin", kElementReal, args);
    case Op::kCos: return call("cos", kElementReal, args);
    case Op::kTan: return call("tan", kElementReal, args);
    case Op::kAsin: return call("asin", kElementReal, args);
    case Op::kAcos: return call("acos", kElementReal, args);
    case Op::kAtan: return call("atan", kElementReal, args);
    case Op::kSinh: return call("sinh", kElementReal, args);
    case Op::kCosh: return call("cosh", kElementReal, args);
    case Op::kAsinh: return call("asinh", kElementReal, args);
    case Op::kAcosh: return call("acosh", kElementReal, args);
    case Op::kAtanh: return call("atanh", kElementReal, args);
    case Op::kFloor: return call("floor", kElementReal, args);
    case Op::kCeil: return call("ceil", kElementReal, args);
    case Op::kRound: return call("round", kElementReal, args);
    case Op::kSign: return call("sign", kElementReal, args);
    case Op::kMod: return call("rest", kElementReal, args);
    case Op::kShrink: return call("shrink", kElementReal, with_attributes(node, args));
    case Op::kThresholdedRelu: return call("thresholded_relu", kElementReal, with_attributes(node, args));
    default: break;
  }
  if (!has_expression(node.op)) return nullptr;
  std::vector<ExprPtr> reals = args;
  for (ExprPtr& arg : reals) arg = as_real(arg);  // the exponent of Pow
  return element_wise(node.op, node.attributes.text("approximate", "none"), with_attributes(node, reals));
}

// 64 bits without a sign would lose their upper half.
bool is_safe(Op op) {
  switch (op) {
    case Op::kIdentity:
    case Op::kAdd:
    case Op::kSub:
    case Op::kMul:
    case Op::kEqual:
    case Op::kWhere: return true;
    default: return false;
  }
}

}  // namespace

ExprPtr elementwise_element(const ElementSite& site) {
  const Op op = site.node.op;
  if (op == Op::kConstant) {
    if (!site.result().shape.empty()) return site.elements.refuse(site.node, "only scalar constants are generated");
    if (!is_floating(site.result().dtype)) return integer(site.node.attributes.integer("value", 0));
    return real(site.node.attributes.real("value", 0), kElementReal);
  }
  if (!is_elementwise(op)) return nullptr;
  std::vector<ExprPtr> args;
  for (std::size_t i = 0; i < site.node.inputs.size(); ++i) {
    if (site.type(i).dtype == DType::kU64 && !is_safe(op)) return site.elements.refuse(site.node, "of u64 is not generated yet");
    args.push_back(site.operand(i));
  }
  const DType dtype = site.result().dtype;
  if (dtype == DType::kU64 && !is_safe(op)) return site.elements.refuse(site.node, "to u64 is not generated yet");
  if (is_comparison(op)) return comparison(op, args[0], args[1]);
  if (is_logic(op)) return logic(op, args);
  if (op == Op::kIsNaN) return is_zero(compare("equal", args[0], args[0]));
  if (op == Op::kIsInf) return infinite(site.node, args[0]);
  if (op == Op::kCast) return cast(args[0], site.type(0).dtype, dtype);
  if (is_floating(dtype)) return real_element(site.node, args);
  const ExprPtr result = whole_element(site, args);
  return result ? cut(result, dtype) : nullptr;
}

}  // namespace fuselab::codegen
