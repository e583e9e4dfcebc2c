// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "backends/torch/lowering.h"
#include "core/extents/strides.h"

namespace fuselab::torch {
namespace {

constexpr Schema kCat{"aten::cat", "out", "vit"};
constexpr Schema kUpper{"aten::triu", "out", "tit"};
constexpr Schema kLower{"aten::tril", "out", "tit"};
constexpr Schema kFill{"aten::fill_", "Tensor", "tt"};

Status see_again(Lowering& to, const Node& node) {
  to.set(node, 0, to.reshaped(to.in(node, 0), extents_of(to.graph().type(node.outputs.front()).shape)));
  return {};
}

Status transpose(Lowering& to, const Node& node) {
  const auto rank = static_cast<std::int64_t>(to.extents(to.in(node, 0)).size());
  Extents order = node.attributes.integers("perm");
  for (std::int64_t i = static_cast<std::int64_t>(order.size()); i < rank; ++i) order.push_back(rank - 1 - i);
  to.set(node, 0, to.transposed(to.in(node, 0), order));
  return {};
}

Status expand(Lowering& to, const Node& node) {
  to.set(node, 0, to.broadcast(to.in(node, 0), extents_of(to.graph().type(node.outputs.front()).shape)));
  return {};
}

Status concatenate(Lowering& to, const Node& node) {
  std::vector<Ref> parts;
  for (std::size_t i = 0; i < node.inputs.size(); ++i) parts.push_back({to.in(node, i)});
  const std::int64_t axis = axis_of(node, 0, to.extents(parts.front().tensor).size());
  to.call(kCat, {std::move(parts), axis, Ref{to.out(node)}});
  return {};
}

Status slice(Lowering& to, const Node& node) {
  const PlanTensor x = to.tensor(to.in(node, 0));
  const Extents starts = node.attributes.integers("starts"), steps = node.attributes.integers("steps", Extents(starts.size(), 1));
  Extents axes = node.attributes.integers("axes"), strides = x.strides;
  for (std::size_t i = axes.size(); i < starts.size(); ++i) axes.push_back(static_cast<std::int64_t>(i));
  std::int64_t offset = 0;
  for (std::size_t i = 0; i < starts.size(); ++i) {
    if (steps[i] < 0) return not_taken("PyTorch's views do not go backwards");
    const auto axis = static_cast<std::size_t>(axes[i] < 0 ? axes[i] + static_cast<std::int64_t>(x.extents.size()) : axes[i]);
    const std::int64_t extent = x.extents[axis];
    offset += std::clamp(starts[i] < 0 ? starts[i] + extent : starts[i], std::int64_t{0}, extent) * x.strides[axis];
    strides[axis] *= steps[i];
  }
  to.set(node, 0, to.view(to.in(node, 0), extents_of(to.graph().type(node.outputs.front()).shape), strides, offset));
  return {};
}

Status split(Lowering& to, const Node& node) {
  const PlanTensor x = to.tensor(to.in(node, 0));
  const auto axis = static_cast<std::size_t>(axis_of(node, 0, x.extents.size()));
  std::int64_t offset = 0;
  for (std::size_t i = 0; i < node.outputs.size(); ++i) {
    const Extents extents = extents_of(to.graph().type(node.outputs[i]).shape);
    to.set(node, i, to.view(to.in(node, 0), extents, x.strides, offset));
    offset += extents[axis] * x.strides[axis];
  }
  return {};
}

Status triangle(Lowering& to, const Node& node) {
  const bool upper = node.attributes.integer("upper", 1) != 0;
  to.call(upper ? kUpper : kLower, {Ref{to.in(node, 0)}, node.attributes.integer("k", 0), Ref{to.out(node)}});
  return {};
}

Status pad(Lowering& to, const Node& node) {
  if (node.attributes.text("mode", "constant") != "constant") return not_taken("PyTorch is asked to pad by a number alone");
  const int x = to.in(node, 0);
  const Extents pads = node.attributes.integers("pads");
  if (std::ranges::any_of(pads, [](std::int64_t each) { return each < 0; })) return not_taken("a padding that cuts");
  const int result = to.out(node);
  const PlanTensor whole = to.tensor(result);
  std::int64_t offset = 0;
  for (std::size_t i = 0; i < whole.strides.size(); ++i) offset += pads[i] * whole.strides[i];
  to.call(kFill, {Ref{result}, Ref{to.number(whole.dtype, node.attributes.real("value", 0))}});
  to.copy(to.view(result, to.extents(x), whole.strides, offset), x);
  return {};
}

constexpr LoweringRow kMovementRows[] = {{Op::kIdentity, see_again},  {Op::kReshape, see_again},  {Op::kFlatten, see_again},
                                         {Op::kUnsqueeze, see_again}, {Op::kSqueeze, see_again},  {Op::kTranspose, transpose},
                                         {Op::kExpand, expand},       {Op::kConcat, concatenate}, {Op::kSlice, slice},
                                         {Op::kSplit, split},         {Op::kTrilu, triangle},     {Op::kPad, pad}};

}  // namespace

std::span<const LoweringRow> movement_rows() {
  return kMovementRows;
}

}  // namespace fuselab::torch
