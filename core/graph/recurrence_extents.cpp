// SPDX-License-Identifier: Apache-2.0
#include "core/graph/recurrence_extents.h"

namespace fuselab {

RecurrenceExtents recurrence_extents(const Graph& graph, const Node& node) {
  const Shape& x = graph.type(node.inputs[0]).shape;
  return {x[0].extent(), x[1].extent(), x[2].extent(), graph.type(node.inputs[2]).shape[2].extent()};
}

}  // namespace fuselab
