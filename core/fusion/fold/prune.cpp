// SPDX-License-Identifier: Apache-2.0
#include "core/fusion/fold/prune.h"

#include <algorithm>
#include <set>

namespace fuselab {
namespace {

bool any_of(const std::vector<ValueId>& values, const std::vector<bool>& marked) {
  return std::any_of(values.begin(), values.end(), [&](ValueId value) { return marked[index_of(value)]; });
}

std::string name_of_node(const Node& node) {
  return node.op == Op::kOpaque ? node.opaque_type : std::string(name_of(node.op));
}

}  // namespace

PrunedGraph keep(const Graph& graph, const std::vector<bool>& nodes, const std::vector<bool>& params) {
  PrunedGraph pruned;
  pruned.moved.resize(graph.nodes().size());
  Graph& left = pruned.graph;
  std::vector<ValueId> places(graph.values().size());
  for (const ValueId input : graph.inputs()) {
    const Value& value = graph.value(input);
    if (value.origin == ValueOrigin::kParam && !params[index_of(input)]) continue;
    places[index_of(input)] = left.add_input(value.name, value.type, value.origin);
  }
  for (std::size_t i = 0; i < graph.nodes().size(); ++i) {
    if (!nodes[i]) continue;
    const Node& node = graph.nodes()[i];
    std::vector<ValueId> inputs;
    std::vector<TensorType> types;
    std::vector<std::string> names;
    for (const ValueId input : node.inputs) inputs.push_back(places[index_of(input)]);
    for (const ValueId output : node.outputs) {
      types.push_back(graph.type(output));
      names.push_back(graph.value(output).name);
    }
    NodeId added{};
    if (node.op == Op::kOpaque) {
      added = left.add_opaque(node.opaque_type, std::move(inputs), std::move(types), std::move(names));
      left.node(added).attributes = node.attributes;
    } else {
      auto result = left.add_node(node.op, std::move(inputs), node.attributes, std::move(names));
      FL_ASSERT(result.ok());  // it was inferred before, from the same operands
      added = result.value();
    }
    left.node(added).name = node.name;
    left.node(added).annotation = node.annotation;
    pruned.moved[i] = added;
    for (std::size_t k = 0; k < node.outputs.size(); ++k) places[index_of(node.outputs[k])] = left.node(added).outputs[k];
  }
  for (const ValueId output : graph.outputs()) left.add_output(places[index_of(output)]);
  return pruned;
}

std::optional<PrunedGraph> without_dead_operators(const Graph& graph) {
  std::vector<bool> needed(graph.values().size()), live(graph.nodes().size()), params(graph.values().size(), true);
  for (const ValueId output : graph.outputs()) needed[index_of(output)] = true;
  bool any_dead = false;
  for (std::size_t i = graph.nodes().size(); i-- > 0;) {
    const Node& node = graph.nodes()[i];
    live[i] = any_of(node.outputs, needed);
    any_dead = any_dead || (!live[i] && node.op != Op::kConstant);
    for (const ValueId input : node.inputs) {
      if (live[i]) needed[index_of(input)] = true;
      if (!live[i]) params[index_of(input)] = false;
    }
  }
  if (!any_dead) return std::nullopt;
  for (const ValueId input : graph.inputs()) params[index_of(input)] = params[index_of(input)] || needed[index_of(input)];
  return keep(graph, live, params);
}

std::string left_out_text(const Graph& before, const PrunedGraph& pruned) {
  constexpr std::size_t kMostNamed = 6;
  std::set<std::string> names;
  int count = 0;
  for (std::size_t i = 0; i < pruned.moved.size(); ++i) {
    const Node& node = before.nodes()[i];
    if (pruned.moved[i] || node.op == Op::kConstant) continue;
    ++count;
    if (names.size() < kMostNamed) names.insert(name_of_node(node));
  }
  std::string text = std::to_string(count) +
                     (count == 1 ? " operator that no output needs was" : " operators that no output needs were") + " left out: ";
  for (const std::string& name : names) text += (name == *names.begin() ? "" : ", ") + name;
  return text;
}

}  // namespace fuselab
