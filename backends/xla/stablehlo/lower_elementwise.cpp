// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <limits>
#include <numbers>

#include "backends/xla/stablehlo/lowering.h"

namespace fuselab::xla {
namespace {

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

HloResults lower_unary(const HloCall& call) {
  return std::vector{call.out.unary(call.operation, call.in[0])};
}

HloResults lower_folded(const HloCall& call) {
  HloValue value = call.out.broadcast(call.in[0], call.extents());
  for (std::size_t i = 1; i < call.in.size(); ++i) value = call.out.spread(call.operation, value, call.in[i]);
  return std::vector{value};
}

HloResults lower_comparison(const HloCall& call) {
  const Extents extents = call.extents();
  return std::vector{
      call.out.compare(call.operation, call.out.broadcast(call.in[0], extents), call.out.broadcast(call.in[1], extents))};
}

HloResults lower_elementwise(const HloCall& call) {
  HloBuilder& out = call.out;
  const Op op = call.node.op;
  const Attributes& attributes = call.node.attributes;
  const auto one = [](HloValue value) { return std::vector{std::move(value)}; };
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
    case Op::kWhere: {
      const Extents extents = call.extents();
      return one(out.select(out.broadcast(x, extents), out.broadcast(call.in[1], extents), out.broadcast(call.in[2], extents)));
    }
    default: return unwritten(call, "has no writer");
  }
}

}  // namespace fuselab::xla
