// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "core/reference/operators/operator_row.h"
#include "core/reference/special_inputs.h"

namespace fuselab::reference {

// A graph input is there already, whatever is asked of it.
bool is_asked_for(const Graph& graph, ValueId value, bool of_inputs) {
  return graph.value(value).origin == ValueOrigin::kNode || (of_inputs && depends_on_pattern(graph, value));
}

std::vector<Needed> demand_of(const Graph& graph, const Node& node, std::size_t output_index, const Needed& needed,
                              bool of_inputs) {
  if (needed.all()) return std::vector<Needed>(node.inputs.size(), Needed::everything());
  Ask ask{graph, node, output_index, needed.positions(), {}};
  for (const ValueId input : node.inputs) ask.computed.push_back(is_asked_for(graph, input, of_inputs));
  if (std::find(ask.computed.begin(), ask.computed.end(), true) == ask.computed.end())
    return std::vector<Needed>(node.inputs.size());
  const auto demand = row_of(node.op).demand;
  return demand == nullptr ? std::vector<Needed>(node.inputs.size(), Needed::everything()) : demand(ask);
}

}  // namespace fuselab::reference
