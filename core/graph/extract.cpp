// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <map>
#include <set>

#include "core/graph/graph.h"

namespace fuselab {
namespace {

bool is_constant(const Graph& graph, ValueId id) {
  const Value& value = graph.value(id);
  return value.producer && graph.node(*value.producer).op == Op::kConstant;
}

// Values read by nodes outside of the piece, or outputs of the whole.
std::vector<bool> needed_outside(const Graph& graph, const std::set<NodeId>& piece) {
  std::vector<bool> needed(graph.values().size(), false);
  for (const ValueId id : graph.outputs()) needed[index_of(id)] = true;
  for (std::size_t n = 0; n < graph.nodes().size(); ++n) {
    if (piece.count(static_cast<NodeId>(n)) != 0) continue;
    for (const ValueId id : graph.nodes()[n].inputs) {
      // Each reader of a constant gets a copy of it.
      if (!is_constant(graph, id)) needed[index_of(id)] = true;
    }
  }
  return needed;
}

}  // namespace

Graph extract(const Graph& graph, std::span<const NodeId> nodes) {
  const auto needed = needed_outside(graph, std::set<NodeId>(nodes.begin(), nodes.end()));
  return extract(graph, nodes, [&](ValueId id) { return needed[index_of(id)]; });
}

Graph extract(const Graph& graph, std::span<const NodeId> nodes, const std::function<bool(ValueId)>& needed) {
  const std::set<NodeId> piece(nodes.begin(), nodes.end());
  Graph result;
  std::map<ValueId, ValueId> mapped;
  const auto copy_node = [&](const Node& node) {
    Node copy = node;
    copy.outputs.clear();
    for (ValueId& id : copy.inputs) id = mapped.at(id);
    std::vector<TensorType> types;
    std::vector<std::string> names;
    for (const ValueId id : node.outputs) {
      types.push_back(graph.type(id));
      names.push_back(graph.value(id).name);
    }
    const NodeId added = result.append(std::move(copy), std::move(types), std::move(names));
    for (std::size_t i = 0; i < node.outputs.size(); ++i) mapped[node.outputs[i]] = result.node(added).outputs[i];
  };
  for (const NodeId id : piece) {
    for (const ValueId read : graph.node(id).inputs) {
      if (mapped.count(read) != 0) continue;
      const Value& value = graph.value(read);
      if (value.producer && piece.count(*value.producer) != 0) continue;
      if (is_constant(graph, read)) {
        copy_node(graph.node(*value.producer));
      } else {
        const auto origin = value.origin == ValueOrigin::kParam ? ValueOrigin::kParam : ValueOrigin::kInput;
        mapped[read] = result.add_input(value.name, value.type, origin);
      }
    }
  }
  for (const NodeId id : piece) {
    copy_node(graph.node(id));
    for (const ValueId made : graph.node(id).outputs) {
      if (needed(made)) result.add_output(mapped.at(made));
    }
  }
  return result;
}

}  // namespace fuselab
