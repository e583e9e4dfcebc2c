// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <limits>
#include <numbers>

#include "backends/xla/stablehlo/lowering.h"
#include "backends/xla/stablehlo/stablehlo_text.h"
#include "core/graph/op_attributes.h"

namespace fuselab::xla {
namespace {

std::string_view one_input(Op op) {
  switch (op) {
    case Op::kNeg: return "negate";
    case Op::kAbs: return "abs";
    case Op::kExp: return "exponential";
    case Op::kLog: return "log";
    case Op::kSqrt: return "sqrt";
    case Op::kErf: return "chlo.erf";
    case Op::kTanh: return "tanh";
    case Op::kSigmoid: return "logistic";
    case Op::kSin: return "sine";
    case Op::kCos: return "cosine";
    case Op::kTan: return "chlo.tan";
    case Op::kAsin: return "chlo.asin";
    case Op::kAcos: return "chlo.acos";
    case Op::kAtan: return "chlo.atan";
    case Op::kSinh: return "chlo.sinh";
    case Op::kCosh: return "chlo.cosh";
    case Op::kAsinh: return "chlo.asinh";
    case Op::kAcosh: return "chlo.acosh";
    case Op::kAtanh: return "chlo.atanh";
    case Op::kFloor: return "floor";
    case Op::kCeil: return "ceil";
    case Op::kRound: return "round_nearest_even";
    case Op::kSign: return "sign";
    case Op::kNot: return "not";
    default: return {};
  }
}

std::string_view two_inputs(Op op) {
  switch (op) {
    case Op::kAdd: return "add";
    case Op::kSub: return "subtract";
    case Op::kMul: return "multiply";
    case Op::kDiv: return "divide";
    case Op::kMin: return "minimum";
    case Op::kMax: return "maximum";
    case Op::kAnd: return "and";
    case Op::kOr: return "or";
    case Op::kXor: return "xor";
    default: return {};
  }
}

std::string_view direction(Op op) {
  switch (op) {
    case Op::kEqual: return "EQ";
    case Op::kLess: return "LT";
    case Op::kGreater: return "GT";
    case Op::kLessOrEqual: return "LE";
    case Op::kGreaterOrEqual: return "GE";
    default: return {};
  }
}

HloValue gelu(HloBuilder& out, const HloValue& x, bool with_tanh) {
  const HloValue half = out.with("multiply", x, 0.5);
  if (!with_tanh) {
    const HloValue inner = out.unary("chlo.erf", out.with("multiply", x, std::numbers::sqrt2 / 2));
    return out.binary("multiply", half, out.with("add", inner, 1));
  }
  const HloValue cube = out.binary("multiply", out.binary("multiply", x, x), x);
  const HloValue sum = out.binary("add", x, out.with("multiply", cube, 0.044715));
  const HloValue inner = out.unary("tanh", out.with("multiply", sum, std::sqrt(2 / std::numbers::pi)));
  return out.binary("multiply", half, out.with("add", inner, 1));
}

HloValue leaky(HloBuilder& out, const HloValue& x, double alpha) {
  const HloValue negative = out.compare("LT", x, out.constant(0, x.dtype, x.extents));
  return out.select(negative, out.with("multiply", x, alpha), x);
}

HloValue clip(const HloCall& call) {
  HloValue x = call.in[0];
  if (call.node.attributes.has("min")) x = call.out.with("maximum", x, call.node.attributes.real("min", 0));
  if (call.node.attributes.has("max")) x = call.out.with("minimum", x, call.node.attributes.real("max", 0));
  return x;
}

HloValue is_inf(const HloCall& call) {
  HloBuilder& out = call.out;
  const HloValue& x = call.in[0];
  const double infinity = std::numeric_limits<double>::infinity();
  const HloValue up = out.compare("EQ", x, out.constant(infinity, x.dtype, x.extents));
  const HloValue down = out.compare("EQ", x, out.constant(-infinity, x.dtype, x.extents));
  const bool ups = call.node.attributes.integer("detect_positive", 1) != 0;
  const bool downs = call.node.attributes.integer("detect_negative", 1) != 0;
  if (ups && downs) return out.binary("or", up, down);
  return ups ? up : downs ? down : out.constant(0, DType::kBool, x.extents);
}

}  // namespace

bool is_square(const Graph& graph, const Node& node) {
  if (node.op != Op::kPow) return false;
  const auto& maker = graph.value(node.inputs[1]).producer;
  const bool is_constant = maker && graph.node(*maker).op == Op::kConstant && graph.type(node.inputs[1]).shape.empty();
  return is_constant && graph.node(*maker).attributes.real("value", 0) == 2;
}

HloResults lower_elementwise(const HloCall& call) {
  HloBuilder& out = call.out;
  const Op op = call.node.op;
  const Attributes& attributes = call.node.attributes;
  const auto one = [](HloValue value) { return std::vector{std::move(value)}; };
  if (const auto name = one_input(op); !name.empty()) return one(out.unary(name, call.in[0]));
  if (const auto name = two_inputs(op); !name.empty()) {
    HloValue value = out.broadcast(call.in[0], call.extents());
    for (std::size_t i = 1; i < call.in.size(); ++i) value = out.spread(name, value, call.in[i]);
    return one(value);
  }
  if (const auto way = direction(op); !way.empty()) {
    return one(out.compare(way, out.broadcast(call.in[0], call.extents()), out.broadcast(call.in[1], call.extents())));
  }
  const HloValue& x = call.in[0];
  switch (op) {
    case Op::kIdentity: return one(x);
    case Op::kReciprocal: return one(out.binary("divide", out.constant(1, x.dtype, x.extents), x));
    case Op::kRelu: return one(out.with("maximum", x, 0));
    case Op::kLeakyRelu: return one(leaky(out, x, attributes.real("alpha", 0.01)));
    case Op::kGelu: return one(gelu(out, x, attributes.text("approximate", "none") == "tanh"));
    case Op::kSwish:
      return one(out.binary("multiply", x, out.unary("logistic", out.with("multiply", x, attributes.real("alpha", 1)))));
    case Op::kClip: return one(clip(call));
    case Op::kCast: return one(out.convert(x, call.dtype()));
    case Op::kIsNaN: return one(out.compare("NE", x, x));
    case Op::kIsInf: return one(is_inf(call));
    case Op::kPow:
      if (is_square(call.graph, call.node)) return one(out.binary("multiply", x, x));
      return one(out.spread("power", x, out.convert(call.in[1], x.dtype)));
    case Op::kWhere: {
      const Extents extents = call.extents();
      return one(out.select(out.broadcast(x, extents), out.broadcast(call.in[1], extents), out.broadcast(call.in[2], extents)));
    }
    default: return unwritten(call, "has no writer");
  }
}

}  // namespace fuselab::xla
