// SPDX-License-Identifier: Apache-2.0
#include "app/engine/measure_job/job_work.h"

#include <algorithm>
#include <set>

#include "core/graph/graph_text.h"

namespace fuselab::engine {
namespace {

bool is_left(const Cell& cell, bool again) {
  return again ? cell.state != CellState::kExcluded : cell.state == CellState::kPending;
}

// The fused kernel and each operator alone; a single operator has one kernel.
int searches_of(const CompareRow& row) {
  if (row.single_operator) return 1;
  const auto graph = parse_graph(row.graph);
  return graph.ok() ? 1 + static_cast<int>(graph.value().nodes().size()) : 1;
}

// Counts one piece on one device.
void add(DeviceWork& work, const CompareRow& row, const CompareCell& cell, bool is_chosen, const JobSpec& spec,
         const IsSearched& is_searched) {
  const bool pending = is_left(cell.fused, spec.remeasure);
  const bool failed = !pending && !cell.fused.figure && !cell.unfused.figure;
  work.figures += pending ? 1 : 0;
  if (failed) return;
  if (spec.remeasure || !is_searched(row, cell)) work.searches += searches_of(row);
  work.cold += is_left(cell.cold_fused, spec.remeasure) ? 1 : 0;
  // A search compares the chosen ones first, and its budget ends before the others. `bench` has none.
  const bool compared = !spec.remeasure && cell.gain_processes > 1 && !spec.decide;
  if (is_chosen || spec.verb == JobSpec::Verb::kBench) work.compare += row.single_operator || compared ? 0 : 1;
  if (!is_chosen) return;
  const auto& figure = (row.recommended_plan == PlanKind::kFused ? cell.fused : cell.unfused).figure;
  work.confirm += pending || !figure || !figure->confirmed ? 1 : 0;
}

}  // namespace

JobWork work_of(const JobSpec& spec, const std::vector<CompareTable>& tables, const std::vector<std::string>& devices,
                const IsSearched& is_searched) {
  JobWork work;
  for (const std::string& device : devices) work.devices.push_back({device});
  std::set<std::pair<std::string, std::string>> seen;  // equal pieces of two models are measured once
  std::set<std::string> pieces;
  for (const CompareTable& table : tables) {
    work.models.push_back(table.model + (table.binding.empty() ? "" : " " + table.binding));
    for (const CompareRow& row : table.rows) {
      for (const CompareCell& cell : row.cells) {
        const auto here =
            std::find_if(work.devices.begin(), work.devices.end(), [&](const auto& each) { return each.device == cell.device_id; });
        if (here == work.devices.end() || cell.fused.state == CellState::kExcluded || row.runs_nothing) continue;
        if (!seen.insert({row.piece_key, cell.device_id}).second) continue;
        pieces.insert(row.piece_key);
        ++work.pairs;
        work.stored_pairs += is_left(cell.fused, spec.remeasure) ? 0 : 1;
        const bool is_known = std::find(devices.begin(), devices.end(), row.recommended_device) != devices.end();
        const bool is_chosen = is_known ? row.recommended_device == cell.device_id : here == work.devices.begin();
        add(*here, row, cell, is_chosen, spec, is_searched);
      }
    }
    if (!spec.whole_models) continue;
    work.whole_models += table.pending_whole_models;
    for (const WholeModel& whole : table.whole_models) {
      const bool slow = spec.slow_whole_models && whole.cell.fused.state == CellState::kExcluded;
      work.whole_models += slow || is_left(whole.cell.fused, spec.remeasure) ? 1 : 0;
    }
  }
  work.pieces = static_cast<int>(pieces.size());
  return work;
}

}  // namespace fuselab::engine
