// SPDX-License-Identifier: Apache-2.0
// Reductions along any axes, one element of the result at a time.

#include "backends/codegen/scalar/elements.h"
#include "core/tensor/small_float.h"

namespace fuselab::codegen {
namespace {

// The operand's place, without what is reduced.
Place outer_place(const ElementSite& site, const std::vector<std::size_t>& axes, std::size_t rank) {
  const bool keeps = site.node.attributes.integer("keepdims", 1) != 0;
  Place place{std::vector<ExprPtr>(rank, integer(0)), nullptr};
  std::vector<bool> reduced(rank, false);
  for (std::size_t axis : axes) reduced[axis] = true;
  std::size_t next = 0;
  for (std::size_t axis = 0; axis < rank; ++axis) {
    if (!reduced[axis]) place.at[axis] = site.place.at[next];
    if (keeps || !reduced[axis]) ++next;
  }
  return place;
}

ExprPtr neutral(Op op, DType dtype) {
  const double value = op == Op::kReduceMax ? detail::lowest_of(dtype) : (op == Op::kReduceProd ? 1 : 0);
  return is_floating(dtype) ? real(value, kElementReal) : integer(static_cast<std::int64_t>(value));
}

ExprPtr joined(Op op, const ExprPtr& total, const ExprPtr& x) {
  const bool is_real = x->type != kIndex;
  if (op == Op::kReduceMax) return is_real ? call("max", kElementReal, {total, x}) : call("whole_max", kIndex, {total, x});
  if (op == Op::kReduceProd) return is_real ? total * x : call("whole_mul", kIndex, {total, x});
  return is_real ? total + x : call("whole_add", kIndex, {total, x});
}

}  // namespace

ExprPtr reduction_element(const ElementSite& site) {
  const Op op = site.node.op;
  switch (op) {
    case Op::kReduceSum:
    case Op::kReduceMean:
    case Op::kReduceMax:
    case Op::kReduceProd:
    case Op::kGlobalAveragePool: break;
    default: return nullptr;
  }
  if (site.result().dtype == DType::kU64) return site.elements.refuse(site.node, "of u64 is not generated yet");
  const auto extents = site.extents(0);
  const auto axes = reduced_axes(site.elements.graph(), site.node);
  std::int64_t count = 1;
  for (std::size_t axis : axes) count *= extents[axis];
  const bool is_real = is_floating(site.result().dtype);
  const ExprPtr total = site.elements.variable(site.body, "total", neutral(op, site.result().dtype));
  site.elements.over(site.body, extents, axes, outer_place(site, axes, extents.size()), [&](Body& inner, const Place& at) {
    const ExprPtr x = site.operand(0, at, inner);
    BodyBuilder(inner).assign(total, joined(op, total, x));
  });
  if (op != Op::kReduceMean && op != Op::kGlobalAveragePool) {
    if (is_real || bits_of(site.result().dtype) == 64) return total;
    return call("whole_to_" + std::string(name_of(site.result().dtype)), kIndex, {total});
  }
  if (is_real) return total / real(static_cast<double>(count), kElementReal);
  return call("whole_div", kIndex, {total, integer(count)});
}

}  // namespace fuselab::codegen
