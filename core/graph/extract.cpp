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
  for (ValueId const id : graph.outputs()) needed[index_of(id)] = true;
  for (std::size_t n = 0; n < graph.nodes().size(); ++n) {
    if (piece.count(static_cast<NodeId>(n)) != 0) continue;
    for (ValueId const id : graph.nodes()[n].inputs) {
      // Whoever reads a constant gets a copy of it.
      if (!is_constant(graph, id)) needed[index_of(id)] = true;
    }
  }
  return needed;
}

}  // namespace

Graph extract(const Graph& graph, std::span<const NodeId> nodes) {
  auto const needed = needed_outside(graph, std::set<NodeId>(nodes.begin(), nodes.end()));
  return extract(graph, nodes, [&](ValueId id) { return needed[index_of(id)]; });
}

Graph extract(const Graph& graph, std::span<const NodeId> nodes, const std::function<bool(ValueId)>& needed) {
  std::set<NodeId> const piece(nodes.begin(), nodes.end());
  Graph result;
  std::map<ValueId, ValueId> mapped;
  auto const copy_node = [&](const Node& node) {
    Node copy = node;
    copy.outputs.clear();
    for (ValueId& id : copy.inputs) id = mapped.at(id);
    std::vector<TensorType> types;
    std::vector<std::string> names;
    for (ValueId const id : node.outputs) {
      types.push_back(graph.type(id));
      names.push_back(graph.value(id).name);
    }
    NodeId const added = result.append(std::move(copy), std::move(types), std::move(names));
    for (std::size_t i = 0; i < node.outputs.size(); ++i) mapped[node.outputs[i]] = result.node(added).outputs[i];
  };
  for (NodeId const id : piece) {
    for (ValueId const read : graph.node(id).inputs) {
      if (mapped.count(read) != 0) continue;
      const Value& value = graph.value(read);
      if (value.producer && piece.count(*value.producer) != 0) continue;
      if (is_constant(graph, read)) {
        copy_node(graph.node(*value.producer));
      } else {
        auto const origin = value.origin == ValueOrigin::kParam ? ValueOrigin::kParam : ValueOrigin::kInput;
        mapped[read] = result.add_input(value.name, value.type, origin);
      }
    }
  }
  for (NodeId const id : piece) {
    copy_node(graph.node(id));
    for (ValueId const made : graph.node(id).outputs) {
      if (needed(made)) result.add_output(mapped.at(made));
    }
  }
  return result;
}

}  // namespace fuselab
