// SPDX-License-Identifier: Apache-2.0
#include "app/views/model_facts.h"

#include <algorithm>
#include <set>

namespace fuselab::engine {

std::vector<OpenExtent> open_extents(const Graph& graph) {
  std::vector<OpenExtent> open;
  for (const ValueId input : graph.inputs()) {
    const Shape& shape = graph.type(input).shape;
    for (std::size_t axis = 0; axis < shape.size(); ++axis) {
      std::set<std::string> symbols;
      add_symbols(shape[axis], symbols);
      for (const std::string& symbol : symbols) {
        auto known = std::find_if(open.begin(), open.end(), [&](const OpenExtent& each) { return each.symbol == symbol; });
        if (known == open.end()) known = open.insert(open.end(), {symbol, {}});
        known->places.push_back({graph.value(input).name, axis, shape.size()});
      }
    }
  }
  return open;
}

std::vector<ModelWeight> weights_by_size(const Graph& graph, const std::map<std::string, std::string>& files) {
  std::vector<ModelWeight> weights;
  for (const ValueId input : graph.inputs()) {
    const Value& value = graph.value(input);
    if (value.origin != ValueOrigin::kParam) continue;
    ModelWeight weight{value.name, value.type, std::nullopt, std::nullopt};
    if (const auto size = size_of(value.type); size.ok()) weight.size = size.value();
    if (const auto file = files.find(value.name); file != files.end()) weight.file = file->second;
    weights.push_back(std::move(weight));
  }
  std::stable_sort(weights.begin(), weights.end(), [](const ModelWeight& a, const ModelWeight& b) {
    return a.size.value_or(Bytes{}).count > b.size.value_or(Bytes{}).count;
  });
  return weights;
}

std::string weight_source_text(const ModelWeight& weight) {
  if (!weight.file) return "made from the seed";
  return weight.file->empty() ? "in the model" : "in " + *weight.file;
}

std::vector<BarrierCause> barriers_by_cause(const Graph& graph, const std::map<NodeId, std::string>& barriers,
                                            const std::string& unknown_operand) {
  std::vector<BarrierCause> causes;
  std::map<NodeId, std::size_t> cause_of;
  const auto inherited = [&](const Node& node) -> std::optional<std::size_t> {
    for (const ValueId input : node.inputs) {
      const auto& producer = graph.value(input).producer;
      const auto found = producer ? cause_of.find(*producer) : cause_of.end();
      if (found != cause_of.end()) return found->second;
    }
    return std::nullopt;
  };
  for (std::size_t index = 0; index < graph.nodes().size(); ++index) {
    const auto id = static_cast<NodeId>(index);
    const Node& node = graph.node(id);
    if (node.op != Op::kOpaque) continue;
    const auto known = barriers.find(id);
    const std::string because = known == barriers.end() ? "it is no operator known here" : known->second;
    const auto from = because == unknown_operand ? inherited(node) : std::nullopt;
    if (from) {
      ++causes[*from].taken_along;
      cause_of[id] = *from;
      continue;
    }
    auto same = std::find_if(causes.begin(), causes.end(),
                             [&](const BarrierCause& each) { return each.op == node.opaque_type && each.because == because; });
    if (same == causes.end()) {
      const std::string name = !node.name.empty() || node.outputs.empty() ? node.name : graph.value(node.outputs.front()).name;
      same = causes.insert(causes.end(), {node.opaque_type, because, name, 0, 0});
    }
    ++same->operators;
    cause_of[id] = static_cast<std::size_t>(same - causes.begin());
  }
  return causes;
}

}  // namespace fuselab::engine
