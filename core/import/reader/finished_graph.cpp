// SPDX-License-Identifier: Apache-2.0
#include "core/import/reader/finished_graph.h"

#include <optional>
#include <utility>

#include "core/fusion/fold/prune.h"
#include "core/fusion/written_out/recompose.h"

namespace fuselab::onnx {
namespace {

// `moved`: the new node of each node.
void replace_graph(ImportedModel& model, Graph now, const std::vector<std::optional<NodeId>>& moved) {
  std::map<NodeId, std::string> barriers;
  for (auto& [id, because] : model.barriers) {
    if (const auto place = moved[static_cast<std::size_t>(id)]) barriers[*place] = std::move(because);
  }
  model.barriers = std::move(barriers);
  model.graph = std::move(now);
}

}  // namespace

void leave_out_dead(ImportedModel& model, ImportNotes& notes) {
  auto pruned = without_dead_operators(model.graph);
  if (!pruned) return;
  notes.add(left_out_text(model.graph, *pruned));
  const auto barriers = static_cast<int>(model.barriers.size());
  replace_graph(model, std::move(pruned->graph), pruned->moved);
  const int dead_barriers = barriers - static_cast<int>(model.barriers.size());
  model.nodes -= dead_barriers;
  model.opaque_nodes -= dead_barriers;
  std::set<std::string> params;
  for (const ValueId input : model.graph.inputs()) params.insert(model.graph.value(input).name);
  std::erase_if(model.weights, [&](const auto& held) { return !params.contains(held.first); });
  std::erase_if(model.weight_files, [&](const auto& held) { return !params.contains(held.first); });
}

void recompose_written_out(ImportedModel& model, ImportNotes& notes) {
  auto recomposed = recompose(model.graph);
  if (!recomposed) return;
  replace_graph(model, std::move(recomposed->graph), recomposed->moved);
  for (std::string& text : recomposed->notes) notes.add(std::move(text));
}

}  // namespace fuselab::onnx
