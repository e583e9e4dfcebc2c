// SPDX-License-Identifier: Apache-2.0
#include "backends/triton/node_axes.h"

namespace fuselab::triton {

Place Windows::under(const Place& at, const Place& tap, Guard& inside) const {
  Place place;
  for (std::size_t axis = 0; axis < kernel.size(); ++axis) {
    const Index here = plus(plus(times(at[axis], strides[axis]), times(tap[axis], dilations[axis])), -before[axis]);
    if (before[axis] > 0) inside = both(inside, {here.text() + " >= 0", here.axes});
    if (before[axis] > 0 || after[axis] > 0) inside = both(inside, {here.text() + " < " + std::to_string(input[axis]), here.axes});
    place.push_back(here);
  }
  return place;
}

Windows windows_along(const Graph& graph, const Node& node) {
  Windows windows{sliding_windows(graph, node)};
  if (node.attributes.integer("ceil_mode", 0) != 0) {
    for (std::int64_t& each : windows.after) ++each;  // the last window may hang over
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
        const Extents order = permutation_of(graph, node);
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
