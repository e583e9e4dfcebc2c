// SPDX-License-Identifier: Apache-2.0
#include "core/fusion/match/graph_index.h"

#include <algorithm>

namespace fuselab {
GraphIndex::GraphIndex(const Graph& graph)
    : graph_(&graph),
      live_(graph.nodes().size(), false),
      readers_(graph.values().size()),
      is_output_(graph.values().size(), false),
      producers_(graph.nodes().size()),
      consumers_(graph.nodes().size()) {
  for (ValueId output : graph.outputs()) is_output_[static_cast<std::size_t>(output)] = true;
  find_live();
  for (std::size_t i = 0; i < graph.nodes().size(); ++i) {
    if (!live_[i]) continue;
    const NodeId id{static_cast<std::uint32_t>(i)};
    for (ValueId input : graph.nodes()[i].inputs) {
      // Nodes come in ascending order, so a repeated reader is always the last one.
      auto& readers = readers_[static_cast<std::size_t>(input)];
      if (readers.empty() || readers.back() != id) readers.push_back(id);
      if (const auto producer = maker(input)) producers_[i].push_back(*producer);
    }
    std::sort(producers_[i].begin(), producers_[i].end());
    producers_[i].erase(std::unique(producers_[i].begin(), producers_[i].end()), producers_[i].end());
    for (NodeId producer : producers_[i]) consumers_[index_of(producer)].push_back(id);
  }
}

void GraphIndex::find_live() {
  const auto mark = [&](ValueId value) {
    if (const auto& producer = graph_->value(value).producer) live_[static_cast<std::size_t>(*producer)] = true;
  };
  for (ValueId output : graph_->outputs()) mark(output);
  for (std::size_t i = live_.size(); i-- > 0;) {
    if (!live_[i]) continue;
    for (ValueId input : graph_->nodes()[i].inputs) mark(input);
  }
}

std::optional<NodeId> GraphIndex::sole_reader(ValueId id) const {
  const auto all = readers(id);
  if (is_output(id) || all.size() != 1) return std::nullopt;
  return all.front();
}

std::optional<NodeId> GraphIndex::maker(ValueId id) const {
  const auto& producer = graph_->value(id).producer;
  if (!producer || node(*producer).op == Op::kConstant) return std::nullopt;
  return producer;
}

bool GraphIndex::is_constant(ValueId id) const {
  return constant(id).has_value();
}

std::optional<double> GraphIndex::constant(ValueId id) const {
  const auto& producer = graph_->value(id).producer;
  if (!producer || node(*producer).op != Op::kConstant) return std::nullopt;
  return node(*producer).attributes.real("value", 0);
}

}  // namespace fuselab
