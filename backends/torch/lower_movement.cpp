// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <span>

#include "backends/torch/lowering.h"
#include "core/extents/strides.h"
#include "core/graph/node_axes.h"

namespace fuselab::torch {
namespace {

constexpr Schema kCat{"aten::cat", "out", "vit"};
constexpr Schema kUpper{"aten::triu", "out", "tit"};
constexpr Schema kLower{"aten::tril", "out", "tit"};
constexpr Schema kPad{"aten::pad", "", "tlsg"};
constexpr Schema kIndex{"aten::index", "Tensor_out", "twt"};
constexpr Schema kFillWithNumber{"aten::fill_", "Tensor", "tt"};

Status see_again(Lowering& to, const Node& node) {
  to.set(node, 0, to.reshaped(to.in(node, 0), extents_of(to.graph().type(node.outputs.front()).shape)));
  return {};
}

Status transpose(Lowering& to, const Node& node) {
  to.set(node, 0, to.transposed(to.in(node, 0), permutation_of(to.graph(), node)));
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
  Extents strides = x.strides;
  std::int64_t offset = 0;
  for (const SlicedAxis& each : sliced_axes(to.graph(), node)) {
    if (each.step < 0) return not_taken("PyTorch's views do not go backwards");
    offset += each.start * x.strides[each.axis];
    strides[each.axis] *= each.step;
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

// By what lies at the edges. PyTorch does so along up to three axes, the last ones, and wants one or two before them.
Status pad_by_itself(Lowering& to, const Node& node, const std::string& mode) {
  const int x = to.in(node, 0), result = to.out(node);
  const Extents pads = node.attributes.integers("pads"), extents = to.extents(x), made = to.extents(result);
  const std::size_t rank = extents.size();
  std::size_t first = 0;
  while (first + 1 < rank && pads[first] == 0 && pads[rank + first] == 0) ++first;
  if (rank - first > 3 || (mode != "reflect" && mode != "edge")) return not_taken("PyTorch does not pad so");
  const auto under_one = [&](const Extents& whole) {
    Extents merged(whole.begin() + static_cast<std::ptrdiff_t>(first), whole.end());
    merged.insert(merged.begin(), product_of(std::span(whole).first(first)));
    return merged;
  };
  Extents sides;  // PyTorch counts from the last axis
  for (std::size_t i = rank; i-- > first;) sides.insert(sides.end(), {pads[i], pads[rank + i]});
  to.call(kPad, {Ref{to.reshaped(x, under_one(extents))}, std::move(sides), mode == "edge" ? "replicate" : "reflect", None{}},
          to.reshaped(result, under_one(made)));
  return {};
}

// A negative index counts from the end. PyTorch refuses one that is out of range.
Status gather(Lowering& to, const Node& node) {
  const int x = to.in(node, 0);
  std::vector<Ref> places(static_cast<std::size_t>(axis_of(node, 0, to.extents(x).size())));  // none: all of them
  places.push_back({to.in(node, 1)});
  to.call(kIndex, {Ref{x}, std::move(places), Ref{to.out(node)}});
  return {};
}

Status pad(Lowering& to, const Node& node) {
  const std::string mode = node.attributes.text("mode", "constant");
  if (mode != "constant") return pad_by_itself(to, node, mode);
  const int x = to.in(node, 0);
  const Extents pads = node.attributes.integers("pads");
  if (std::ranges::any_of(pads, [](std::int64_t each) { return each < 0; })) return not_taken("a padding that cuts");
  const int result = to.out(node);
  const PlanTensor whole = to.tensor(result);
  std::int64_t offset = 0;
  for (std::size_t i = 0; i < whole.strides.size(); ++i) offset += pads[i] * whole.strides[i];
  to.call(kFillWithNumber, {Ref{result}, Ref{to.number(whole.dtype, node.attributes.real("value", 0))}});
  to.copy(to.view(result, to.extents(x), whole.strides, offset), x);
  return {};
}

constexpr LoweringRow kMovementRows[] = {{Op::kIdentity, see_again},  {Op::kReshape, see_again},  {Op::kFlatten, see_again},
                                         {Op::kUnsqueeze, see_again}, {Op::kSqueeze, see_again},  {Op::kTranspose, transpose},
                                         {Op::kExpand, expand},       {Op::kConcat, concatenate}, {Op::kSlice, slice},
                                         {Op::kSplit, split},         {Op::kTrilu, triangle},     {Op::kPad, pad},
                                         {Op::kGather, gather}};

}  // namespace

std::span<const LoweringRow> movement_rows() {
  return kMovementRows;
}

}  // namespace fuselab::torch
