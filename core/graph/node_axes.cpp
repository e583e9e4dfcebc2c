// SPDX-License-Identifier: Apache-2.0
#include "core/graph/node_axes.h"

#include <algorithm>
#include <numeric>

namespace fuselab {
namespace {

using Extents = std::vector<std::int64_t>;

std::size_t rank_of_operand(const Graph& graph, const Node& node) {
  return node.inputs.empty() ? 0 : graph.type(node.inputs.front()).shape.size();
}

std::vector<std::size_t> axes_from(std::size_t first, std::size_t rank) {
  std::vector<std::size_t> axes(rank - std::min(first, rank));
  std::iota(axes.begin(), axes.end(), first);
  return axes;
}

}  // namespace

std::size_t axis_from_front(std::int64_t axis, std::size_t rank) {
  return static_cast<std::size_t>(axis < 0 ? axis + static_cast<std::int64_t>(rank) : axis);
}

Extents permutation_of(const Graph& graph, const Node& node) {
  Extents order = node.attributes.integers("perm");
  for (std::size_t i = order.empty() ? rank_of_operand(graph, node) : 0; i > 0; --i)
    order.push_back(static_cast<std::int64_t>(i) - 1);
  return order;
}

std::vector<SlicedAxis> sliced_axes(const Graph& graph, const Node& node) {
  const Extents in = extents_of(graph.type(node.inputs.front()).shape), out = extents_of(graph.type(node.outputs.front()).shape);
  const Extents starts = node.attributes.integers("starts"), steps = node.attributes.integers("steps", Extents(starts.size(), 1));
  Extents axes = node.attributes.integers("axes");
  for (std::size_t i = axes.size(); i < starts.size(); ++i) axes.push_back(static_cast<std::int64_t>(i));
  std::vector<SlicedAxis> sliced;
  for (std::size_t i = 0; i < starts.size(); ++i) {
    const std::size_t axis = axis_from_front(axes[i], in.size());
    const std::int64_t start = starts[i] < 0 ? starts[i] + in[axis] : starts[i];
    // A walk backwards begins at the last element at the latest.
    const std::int64_t last = std::max<std::int64_t>(0, steps[i] > 0 ? in[axis] : in[axis] - 1);
    sliced.push_back({axis, std::clamp<std::int64_t>(start, 0, last), out[axis] > 1 ? steps[i] : 1});
  }
  return sliced;
}

std::vector<std::size_t> reduced_axes(const Graph& graph, const Node& node) {
  const std::size_t rank = rank_of_operand(graph, node);
  const auto named = [&] { return axis_from_front(node.attributes.integer("axis", -1), rank); };
  switch (node.op) {
    case Op::kSoftmax:
    case Op::kLogSoftmax: return {named()};
    case Op::kLayerNormalization:
    case Op::kRMSNormalization: return axes_from(named(), rank);
    case Op::kGlobalAveragePool: return axes_from(2, rank);
    case Op::kReduceSum:
    case Op::kReduceMean:
    case Op::kReduceMax:
    case Op::kReduceProd: break;
    default: return {};
  }
  std::vector<std::size_t> axes;
  for (const std::int64_t axis : node.attributes.integers("axes")) axes.push_back(axis_from_front(axis, rank));
  if (axes.empty() && node.attributes.integer("noop_with_empty_axes", 0) == 0) return axes_from(0, rank);
  std::ranges::sort(axes);
  return axes;
}

SlidingWindows sliding_windows(const Graph& graph, const Node& node) {
  const auto behind_channels = [&](std::size_t operand) {
    const Extents all = extents_of(graph.type(node.inputs[operand]).shape);
    return Extents(all.begin() + 2, all.end());
  };
  SlidingWindows windows;
  windows.input = behind_channels(0);
  windows.kernel = node.op == Op::kConv ? behind_channels(1) : node.attributes.integers("kernel_shape");
  const std::size_t spatial = windows.input.size();
  windows.strides = node.attributes.integers("strides", Extents(spatial, 1));
  windows.dilations = node.attributes.integers("dilations", Extents(spatial, 1));
  const Extents pads = node.attributes.integers("pads", Extents(2 * spatial, 0));
  const auto middle = pads.begin() + static_cast<std::ptrdiff_t>(spatial);
  windows.before.assign(pads.begin(), middle);
  windows.after.assign(middle, pads.end());
  return windows;
}

}  // namespace fuselab
