// SPDX-License-Identifier: Apache-2.0
#include "app/engine/survey.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>

#include "app/engine/subject/operator_counts.h"
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

// Returns why nothing ran this piece; nothing: something did, or it needs no kernel.
std::optional<std::string> why_not_run(const CompareRow* row) {
  if (row == nullptr) return "it is in none of the pieces that were to be measured";
  if (row->runs_nothing || has_figure(*row)) return std::nullopt;
  return reason_of(*row);
}

class Surveyor {
 public:
  Surveyor(const FusionResult& fusion, const CompareTable& table) : fusion_(fusion) {
    for (const CompareRow& row : table.rows) rows_[row.piece_key] = &row;
    survey_.model = table.model;
    survey_.binding = table.binding;
    survey_.totals = table.totals;
    OperatorCounts counts =
        count_operators(fusion, [this](const FusedOperation& piece, NodeId) { return why_not_run(row_of(piece)); });
    survey_.operators = counts.operators;
    survey_.understood = counts.read;
    survey_.run = counts.run;
    survey_.not_run = std::move(counts.not_run);
    std::set<std::string> keys;
    for (const FusedOperation& piece : fusion.operations) {
      keys.insert(piece.id);
      note_devices(piece);
    }
    survey_.groups = static_cast<int>(fusion.operations.size());
    survey_.distinct = static_cast<int>(keys.size());
  }
  Survey take() {
    std::stable_sort(survey_.not_run_there.begin(), survey_.not_run_there.end(),
                     [](const NotRun& a, const NotRun& b) { return a.device < b.device; });
    return std::move(survey_);
  }

 private:
  const CompareRow* row_of(const FusedOperation& piece) const {
    const auto row = rows_.find(graph_key(piece.graph).hex());
    return row == rows_.end() ? nullptr : row->second;
  }

  // Notes the devices that did not run a piece which another ran.
  void note_devices(const FusedOperation& piece) {
    const CompareRow* const row = row_of(piece);
    if (row == nullptr || row->runs_nothing || !has_figure(*row)) return;
    for (const NodeId id : piece.nodes) {
      if (fusion_.repeats(id)) continue;
      for (const CompareCell& cell : row->cells) {
        const std::string& why = cell.fused.reason.empty() ? cell.unfused.reason : cell.fused.reason;
        if (!has_figure(cell))
          note_not_run(survey_.not_run_there, fusion_.graph, id, cell.device_id, why.empty() ? "it was not measured there" : why);
      }
    }
  }

  const FusionResult& fusion_;
  std::map<std::string, const CompareRow*> rows_;
  Survey survey_;
};

}  // namespace

Survey survey_of(const FusionResult& fusion, const CompareTable& table) {
  return Surveyor(fusion, table).take();
}

}  // namespace fuselab::engine
