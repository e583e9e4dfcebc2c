// SPDX-License-Identifier: Apache-2.0
#include "app/engine/compare/table/best_unfused.h"

#include <algorithm>

#include "app/engine/job/job_context.h"
#include "app/engine/job/job_protocols.h"
#include "app/engine/measure/figures.h"
#include "core/graph/graph_text.h"

namespace fuselab::engine {
namespace {

// Returns one operator as a piece of its own, the form in which it was tuned.
Piece alone(const Graph& graph) {
  Piece piece;
  piece.operation.graph = graph;
  piece.key = graph_key(graph).hex();
  return piece;
}

const OperatorFigure* fastest_of(const std::vector<OperatorFigure>& figures) {
  const OperatorFigure* fastest = nullptr;
  for (const OperatorFigure& each : figures) {
    if (each.figure.is_choosable() && (fastest == nullptr || each.figure.median_ns < fastest->figure.median_ns)) fastest = &each;
  }
  return fastest;
}

BestUnfused sum_of_fastest(const std::vector<std::vector<OperatorFigure>>& operators) {
  BestUnfused sum;
  Figure figure;
  for (const auto& figures : operators) {
    const OperatorFigure* const fastest = fastest_of(figures);
    if (fastest == nullptr) return {};
    figure.median_ns += fastest->figure.median_ns;
    figure.interval.low += fastest->figure.interval.low;
    figure.interval.high += fastest->figure.interval.high;
    figure.config += (figure.config.empty() ? "" : ";") + fastest->figure.config;
    figure.drawbacks = figure.drawbacks | fastest->figure.drawbacks;
    if (figure.disturbance.empty()) figure.disturbance = fastest->figure.disturbance;
    sum.devices.push_back(fastest->device_id);
  }
  const bool one_device =
      std::all_of(sum.devices.begin(), sum.devices.end(), [&](const std::string& id) { return id == sum.devices.front(); });
  if (one_device) return {};  // its whole unfused plan was measured, which says more than a sum
  sum.composed = true;
  sum.cell.state = CellState::kMeasured;
  sum.cell.figure = figure;
  sum.cell.reason = "the sum of operators that were measured apart";
  return sum;
}

}  // namespace

Result<std::vector<std::vector<OperatorFigure>>> operator_figures(const Piece& piece, const std::vector<ComparedDevice>& devices,
                                                                  const Protocol& protocol, EvidenceReader& evidence,
                                                                  Accepted accepted) {
  std::vector<std::vector<OperatorFigure>> operators;
  if (devices.size() < 2 || piece.is_single()) return operators;
  const std::string metric_key = metric_of(search_protocol(protocol)).key().hex();
  for (const Graph& graph : piece.operator_graphs) {
    const Piece operation = alone(graph);
    auto& figures = operators.emplace_back();
    for (const ComparedDevice& device : devices) {
      FL_TRY(const auto trials, evidence.current({operation, device.info, metric_key, device.environment_key}));
      if (const TrialRecord* const trial = timed_of_kind(trials, PlanKind::kFused))
        figures.push_back({device.info.id, figure_of(*trial, accepted)});
    }
  }
  return operators;
}

BestUnfused best_unfused(const CompareRow& row, const std::vector<std::vector<OperatorFigure>>& operators) {
  BestUnfused best;
  for (const CompareCell& cell : row.cells) {
    const bool better = cell.unfused.figure && cell.unfused.figure->is_choosable() &&
                        (!best.cell.figure || cell.unfused.figure->median_ns < best.cell.figure->median_ns);
    if (better) best = {cell.unfused, {cell.device_id}, false};
  }
  const BestUnfused mixed = sum_of_fastest(operators);
  const bool mix_wins = mixed.cell.figure && (!best.cell.figure || mixed.cell.figure->median_ns < best.cell.figure->median_ns);
  return mix_wins ? mixed : best;
}

}  // namespace fuselab::engine
