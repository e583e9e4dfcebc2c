// SPDX-License-Identifier: Apache-2.0
#include "app/engine/survey.h"

#include <algorithm>
#include <map>
#include <set>

#include "core/graph/graph_text.h"

namespace fuselab::engine {
namespace {

bool has_figure(const CompareCell& cell) {
  return cell.fused.figure || cell.unfused.figure;
}

bool has_figure(const CompareRow& row) {
  return std::any_of(row.cells.begin(), row.cells.end(), [](const CompareCell& cell) { return has_figure(cell); });
}

// Returns the first device's reason; the rows of barriers repeat it in every cell.
std::string reason_of(const CompareRow& row) {
  for (const CompareCell& cell : row.cells) {
    if (!cell.fused.reason.empty()) return cell.fused.reason;
  }
  return "it was not measured";
}

std::string called(const Graph& graph, NodeId id) {
  const Node& node = graph.node(id);
  return node.name.empty() ? graph.value(node.outputs.front()).name : node.name;
}

class Surveyor {
 public:
  Surveyor(const FusionResult& fusion, const CompareTable& table) : fusion_(fusion), graph_(fusion.graph) {
    for (const CompareRow& row : table.rows) rows_[row.piece_key] = &row;
    survey_.model = table.model;
    survey_.binding = table.binding;
    survey_.totals = table.totals;
    for (const FusedOperation& piece : fusion.operations) add(piece);
    survey_.distinct = static_cast<int>(keys_.size());
  }
  Survey take() {
    std::stable_sort(survey_.not_run_there.begin(), survey_.not_run_there.end(),
                     [](const Survey::NotRun& a, const Survey::NotRun& b) { return a.device < b.device; });
    return std::move(survey_);
  }

 private:
  void add(const FusedOperation& piece) {
    const std::string key = graph_key(piece.graph).hex();
    keys_.insert(key);
    ++survey_.groups;
    const auto row = rows_.find(key);
    const bool ran = row != rows_.end() && (row->second->runs_nothing || has_figure(*row->second));
    for (const NodeId id : piece.nodes) {
      if (fusion_.repeats(id)) continue;
      ++survey_.operators;
      survey_.understood += graph_.node(id).op != Op::kOpaque ? 1 : 0;
      survey_.run += ran ? 1 : 0;
      if (!ran)
        note(survey_.not_run, id, "",
             row == rows_.end() ? "it is in none of the pieces that were to be measured" : reason_of(*row->second));
      if (ran && !row->second->runs_nothing) note_devices(id, *row->second);
    }
  }

  void note_devices(NodeId id, const CompareRow& row) {
    for (const CompareCell& cell : row.cells) {
      const std::string& why = cell.fused.reason.empty() ? cell.unfused.reason : cell.fused.reason;
      if (!has_figure(cell)) note(survey_.not_run_there, id, cell.device_id, why.empty() ? "it was not measured there" : why);
    }
  }

  void note(std::vector<Survey::NotRun>& list, NodeId id, const std::string& device, const std::string& reason) {
    const Node& node = graph_.node(id);
    const std::string op = node.op == Op::kOpaque ? node.opaque_type : std::string(name_of(node.op));
    const auto known = std::find_if(list.begin(), list.end(), [&](const Survey::NotRun& each) {
      return each.op == op && each.reason == reason && each.device == device;
    });
    if (known != list.end()) {
      ++known->count;
    } else {
      list.push_back({op, reason, called(graph_, id), 1, device});
    }
  }

  const FusionResult& fusion_;
  const Graph& graph_;
  std::map<std::string, const CompareRow*> rows_;
  std::set<std::string> keys_;
  Survey survey_;
};

}  // namespace

Survey survey_of(const FusionResult& fusion, const CompareTable& table) {
  return Surveyor(fusion, table).take();
}

}  // namespace fuselab::engine
