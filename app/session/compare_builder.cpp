// SPDX-License-Identifier: Apache-2.0
#include "app/session/compare_builder.h"

#include <algorithm>

#include "app/session/choice.h"

namespace fuselab::session {
namespace {

Figure figure_of(const TrialRecord& trial) {
  return {trial.median_ns, {trial.low_ns, trial.high_ns}, trial.id, trial.config, trial.retimed};
}

const TrialRecord* timed_of_kind(const std::vector<TrialRecord>& trials, PlanKind kind) {
  auto const found = std::find_if(trials.begin(), trials.end(), [&](const TrialRecord& trial) {
    return trial.kind == kind && trial.result.outcome == Outcome::kTimed;
  });
  return found == trials.end() ? nullptr : &*found;
}

Cell cell_of(const TrialRecord* trial, const std::string& failure) {
  Cell cell;
  if (trial != nullptr) {
    cell.state = CellState::kMeasured;
    cell.figure = figure_of(*trial);
  } else if (!failure.empty()) {
    cell.state = CellState::kFailed;
    cell.reason = failure;
  }
  return cell;
}

void judge_against_ceiling(CompareCell& cell, const Piece& piece, const CeilingTable& ceilings) {
  if (ceilings.rows.empty()) return;
  StreamMix const mix = stream_mix(piece.operation.graph);
  Nanoseconds const measured{cell.fused.figure ? cell.fused.figure->median_ns : 0.0};
  SpeedOfLight const light = speed_of_light(piece.operation.cost, mix.reads, mix.writes, ceilings, measured);
  if (light.ideal.count <= 0) return;
  cell.ideal_ns = light.ideal.count;
  cell.memory_bound = light.memory_bound;
  if (cell.fused.figure) cell.share_of_ceiling = light.share;
}

Result<CompareCell> compare_cell(const Piece& piece, const ComparedDevice& device, const std::string& metric_key,
                                 EvidenceReader& evidence, const std::string& failure) {
  CompareCell cell;
  cell.device_id = device.info.id;
  cell.backend = device.info.backend;
  FL_TRY(auto trials, evidence.current(piece, device.info, metric_key, device.environment_key));
  const TrialRecord* const fused = timed_of_kind(trials, PlanKind::kFused);
  // A single operator has nothing to fuse: both plans are the same one.
  const TrialRecord* const unfused = piece.is_single() ? fused : timed_of_kind(trials, PlanKind::kUnfused);
  cell.fused = cell_of(fused, failure);
  cell.unfused = cell_of(unfused, fused != nullptr ? "its per-operator plan was not timed in the same block" : failure);
  if (fused != nullptr && unfused != nullptr && fused != unfused) {
    cell.gain = ratio_of(unfused->result.samples, fused->result.samples, /*paired=*/true);
  }
  judge_against_ceiling(cell, piece, device.ceilings);
  return cell;
}

void recommend(CompareRow& row) {
  Choice const choice = choose_device(row);
  row.recommended_device = choice.device_id;
  row.recommended_plan = choice.plan;
  row.reason = choice.reason;
  for (const CompareCell& cell : row.cells) {
    bool const better =
        cell.unfused.figure && (!row.best_unfused.figure || cell.unfused.figure->median_ns < row.best_unfused.figure->median_ns);
    if (better) row.best_unfused = cell.unfused;
    if (cell.device_id != row.recommended_device || !cell.fused.figure) continue;
    double const best =
        std::min(cell.fused.figure->median_ns, cell.unfused.figure ? cell.unfused.figure->median_ns : cell.fused.figure->median_ns);
    row.to_be_won_ns = row.count * std::max(0.0, best - cell.ideal_ns.value_or(best));
  }
}

const CompareCell* cell_on(const CompareRow& row, const std::string& device_id) {
  auto const found =
      std::find_if(row.cells.begin(), row.cells.end(), [&](const CompareCell& cell) { return cell.device_id == device_id; });
  return found == row.cells.end() ? nullptr : &*found;
}

// Adds one row's share of a model to a device's total; only rows with all three figures count, so that the sums compare like with
// like.
void add_to_total(ModelTotal& total, const CompareRow& row, const CompareCell* cell) {
  ++total.pieces;
  if (cell == nullptr || !cell->fused.figure || !cell->unfused.figure) return;
  ++total.measured_pieces;
  total.fused_ns += row.count * cell->fused.figure->median_ns;
  total.unfused_ns += row.count * cell->unfused.figure->median_ns;
  total.ideal_ns += row.count * cell->ideal_ns.value_or(0);
}

std::vector<ModelTotal> totals_of(const CompareTable& table, const std::vector<ComparedDevice>& devices) {
  std::vector<ModelTotal> totals;
  for (const ComparedDevice& device : devices) {
    ModelTotal total;
    total.device_id = device.info.id;
    for (const CompareRow& row : table.rows) add_to_total(total, row, cell_on(row, device.info.id));
    totals.push_back(total);
  }
  return totals;
}

void share_out(CompareTable& table) {
  auto const best_of = [](const CompareRow& row) {
    const CompareCell* const cell = cell_on(row, row.recommended_device);
    return cell != nullptr && cell->fused.figure ? row.count * cell->fused.figure->median_ns : 0.0;
  };
  double whole = 0;
  for (const CompareRow& row : table.rows) whole += best_of(row);
  if (whole <= 0) return;
  for (CompareRow& row : table.rows) row.share_of_model = best_of(row) / whole;
}

}  // namespace

StreamMix stream_mix(const Graph& graph) {
  auto const bytes_of = [&](ValueId id) {
    auto const size = size_of(graph.type(id));
    return size.ok() ? size.value().count : 0;
  };
  std::int64_t largest = 1;
  for (ValueId const id : graph.inputs()) largest = std::max(largest, bytes_of(id));
  for (ValueId const id : graph.outputs()) largest = std::max(largest, bytes_of(id));
  auto const streams = [&](const std::vector<ValueId>& ids) {
    return static_cast<int>(std::count_if(ids.begin(), ids.end(), [&](ValueId id) { return bytes_of(id) * 16 >= largest; }));
  };
  return {streams(graph.inputs()), streams(graph.outputs())};
}

Result<CompareTable> build_compare_table(const Workpiece& workpiece, const std::vector<ComparedDevice>& devices,
                                         const std::string& metric_key, EvidenceReader& evidence, const Failures& failures) {
  CompareTable table;
  table.model = workpiece.subject.name;
  table.binding = workpiece.subject.binding;
  table.covered_share = workpiece.subject.covered_share;
  for (const Piece& piece : workpiece.pieces) {
    CompareRow row;
    row.piece_key = piece.key;
    row.name = piece.operation.name;
    row.pattern = name_of(piece.operation.pattern);
    row.count = piece.operation.count;
    row.cost = piece.operation.cost;
    for (const ComparedDevice& device : devices) {
      auto const failed = failures.find({piece.key, device.info.id});
      std::string const failure = !piece.not_measured.empty() ? piece.not_measured
                                  : failed != failures.end()  ? failed->second
                                                              : std::string();
      FL_TRY(CompareCell cell, compare_cell(piece, device, metric_key, evidence, failure));
      row.cells.push_back(std::move(cell));
    }
    recommend(row);
    table.rows.push_back(std::move(row));
  }
  table.totals = totals_of(table, devices);
  share_out(table);
  std::stable_sort(table.rows.begin(), table.rows.end(),
                   [](const CompareRow& a, const CompareRow& b) { return a.to_be_won_ns > b.to_be_won_ns; });
  return table;
}

}  // namespace fuselab::session
