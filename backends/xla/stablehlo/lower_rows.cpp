// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <limits>

#include "backends/xla/stablehlo/lowering.h"
#include "core/graph/node_axes.h"

namespace fuselab::xla {
namespace {

// All axes but these: where a reduced value's axes lie in what it was reduced from.
Extents others(const Extents& axes, std::int64_t rank) {
  Extents rest;
  for (std::int64_t axis = 0; axis < rank; ++axis) {
    if (std::find(axes.begin(), axes.end(), axis) == axes.end()) rest.push_back(axis);
  }
  return rest;
}

// The reduced value of each row, at every place of the row.
HloValue along(HloBuilder& out, std::string_view operation, const HloValue& x, const Extents& axes, double start) {
  return out.broadcast_in(out.reduce(operation, x, axes, start), x.extents, others(axes, x.rank()));
}

HloResults reduce(const HloCall& call) {
  const HloValue& x = call.in[0];
  const auto along = reduced_axes(call.graph, call.node);
  const Extents axes(along.begin(), along.end());
  HloValue reduced;
  switch (call.node.op) {
    case Op::kReduceMax:
      if (!is_floating(x.dtype)) return unwritten(call, "is of integers");
      reduced = call.out.reduce("maximum", x, axes, -std::numeric_limits<double>::infinity());
      break;
    case Op::kReduceProd: reduced = call.out.reduce("multiply", x, axes, 1); break;
    default: reduced = call.out.reduce("add", x, axes, 0); break;
  }
  if (call.node.op == Op::kReduceMean) reduced = call.out.with("divide", reduced, count_along(x, axes));
  return std::vector{call.out.reshape(reduced, call.extents())};
}

// (x - mean) / sqrt(variance + epsilon) · scale + bias over the axes from `axis` on; RMSNormalization without mean and bias.
HloResults normalize(const HloCall& call) {
  HloBuilder& out = call.out;
  HloValue x = call.in[0];
  const Extents axes = axes_from(call.axis_attribute(-1), x.rank());
  const double count = count_along(x, axes);
  if (call.node.op == Op::kLayerNormalization) {
    x = out.binary("subtract", x, out.with("divide", along(out, "add", x, axes, 0), count));
  }
  const HloValue squares = out.with("divide", out.reduce("add", out.binary("multiply", x, x), axes, 0), count);
  const HloValue inverse = out.unary("rsqrt", out.with("add", squares, call.node.attributes.real("epsilon", 1e-5)));
  HloValue y = out.binary("multiply", x, out.broadcast_in(inverse, x.extents, others(axes, x.rank())));
  y = out.spread("multiply", y, call.in[1]);
  if (call.has(2)) y = out.spread("add", y, call.in[2]);
  return std::vector{y};
}

}  // namespace

Extents axes_from(std::int64_t first, std::int64_t rank) {
  Extents axes;
  for (std::int64_t axis = first; axis < rank; ++axis) axes.push_back(axis);
  return axes;
}

double count_along(const HloValue& x, const Extents& axes) {
  double count = 1;
  for (const std::int64_t axis : axes) count *= static_cast<double>(x.extents[static_cast<std::size_t>(axis)]);
  return count;
}

HloValue softmax(HloBuilder& out, const HloValue& x, std::int64_t axis, bool logarithm) {
  const Extents axes = {axis};
  const HloValue most = along(out, "maximum", x, axes, -std::numeric_limits<double>::infinity());
  const HloValue below = out.binary("subtract", x, most);
  const HloValue powers = out.unary("exponential", below);
  const HloValue sum = along(out, "add", powers, axes, 0);
  if (logarithm) return out.binary("subtract", below, out.unary("log", sum));
  return out.binary("divide", powers, sum);
}

HloResults lower_rows(const HloCall& call) {
  switch (call.node.op) {
    case Op::kSoftmax:
    case Op::kLogSoftmax:
      return std::vector{softmax(call.out, call.in[0], call.axis_attribute(-1), call.node.op == Op::kLogSoftmax)};
    case Op::kLayerNormalization:
    case Op::kRMSNormalization: return normalize(call);
    case Op::kReduceSum:
    case Op::kReduceMean:
    case Op::kReduceMax:
    case Op::kReduceProd: return reduce(call);
    default: return unwritten(call, "has no writer");
  }
}

}  // namespace fuselab::xla
