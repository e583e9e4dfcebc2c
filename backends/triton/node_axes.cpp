// SPDX-License-Identifier: Apache-2.0
#include "backends/triton/node_axes.h"

#include <functional>
#include <numeric>

namespace fuselab::triton {

std::size_t axis_from_front(std::int64_t axis, std::size_t rank) {
  return static_cast<std::size_t>(axis < 0 ? axis + static_cast<std::int64_t>(rank) : axis);
}

std::int64_t product_of(const Extents& extents) {
  return std::accumulate(extents.begin(), extents.end(), std::int64_t{1}, std::multiplies<>());
}

Extents order_of(const Graph& graph, const Node& node) {
  Extents order = node.attributes.integers("perm");
  for (std::size_t i = order.empty() ? graph.type(node.inputs[0]).shape.size() : 0; i > 0; --i)
    order.push_back(static_cast<std::int64_t>(i) - 1);
  return order;
}

std::vector<bool> reduced_axes(const Graph& graph, const Node& node) {
  const std::size_t rank = node.inputs.empty() ? 0 : graph.type(node.inputs[0]).shape.size();
  std::vector<bool> along(rank, false);
  switch (node.op) {
    case Op::kSoftmax:
    case Op::kLogSoftmax: along[axis_from_front(node.attributes.integer("axis", -1), rank)] = true; return along;
    case Op::kLayerNormalization:
    case Op::kRMSNormalization:
      for (std::size_t axis = axis_from_front(node.attributes.integer("axis", -1), rank); axis < rank; ++axis) along[axis] = true;
      return along;
    case Op::kGlobalAveragePool:
      for (std::size_t axis = 2; axis < rank; ++axis) along[axis] = true;
      return along;
    case Op::kReduceSum:
    case Op::kReduceMean:
    case Op::kReduceMax: {
      const auto named = node.attributes.integers("axes");
      for (const std::int64_t axis : named) along[axis_from_front(axis, rank)] = true;
      if (named.empty() && node.attributes.integer("noop_with_empty_axes", 0) == 0) along.assign(rank, true);
      return along;
    }
    default: return {};
  }
}

Place Windows::under(const Place& at, const Place& tap, Guard& inside) const {
  Place place;
  for (std::size_t axis = 0; axis < kernel.size(); ++axis) {
    const Index here = plus(plus(times(at[axis], strides[axis]), times(tap[axis], dilations[axis])), -pads[axis]);
    if (pads[axis] > 0) inside = both(inside, {here.text() + " >= 0", here.axes});
    if (pads[axis] > 0 || pads[axis + kernel.size()] > 0)
      inside = both(inside, {here.text() + " < " + std::to_string(input[axis]), here.axes});
    place.push_back(here);
  }
  return place;
}

Windows windows_along(const Graph& graph, const Node& node) {
  const Extents x = extents_of(graph.type(node.inputs[0]).shape);
  Windows windows;
  windows.input.assign(x.begin() + 2, x.end());
  windows.kernel = node.attributes.integers("kernel_shape");
  if (windows.kernel.empty()) {
    const Extents w = extents_of(graph.type(node.inputs[1]).shape);
    windows.kernel.assign(w.begin() + 2, w.end());
  }
  const Extents ones(windows.kernel.size(), 1);
  windows.strides = node.attributes.integers("strides", ones);
  windows.dilations = node.attributes.integers("dilations", ones);
  windows.pads = node.attributes.integers("pads", Extents(2 * ones.size(), 0));
  if (node.attributes.integer("ceil_mode", 0) != 0) {
    for (std::size_t axis = 0; axis < ones.size(); ++axis) windows.pads[axis + ones.size()] += 1;  // the last window may hang over
  }
  return windows;
}

std::map<ValueId, Place> places_behind(const Graph& graph, std::map<ValueId, Place> seeds) {
  for (const Node& node : graph.nodes()) {
    const ValueId result = node.outputs.front();
    if (seeds.find(result) != seeds.end()) continue;
    const Extents to = extents_of(graph.type(result).shape);
    for (const ValueId input : node.inputs) {
      const auto known = seeds.find(input);
      if (known == seeds.end()) continue;
      const Extents from = extents_of(graph.type(input).shape);
      if (product_of(from) != product_of(to)) continue;
      if (node.op == Op::kTranspose) {
        const Extents order = order_of(graph, node);
        Place place;
        for (const std::int64_t axis : order) place.push_back(known->second[static_cast<std::size_t>(axis)]);
        seeds[result] = place;
      } else if (is_view(node.op) || is_elementwise(node.op) || !reduced_axes(graph, node).empty() ||
                 node.op == Op::kBatchNormalization) {
        seeds[result] = reshaped(known->second, from, to);
      }
      break;
    }
  }
  return seeds;
}

}  // namespace fuselab::triton
