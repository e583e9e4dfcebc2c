// SPDX-License-Identifier: Apache-2.0
#include "app/views/choice.h"

#include <algorithm>

#include "core/select/default_choice.h"

namespace fuselab::engine {
namespace {

MeasuredCandidate candidate_of(const CompareCell& cell, PlanKind kind, const Figure& figure) {
  return {cell.device_id,
          cell.backend,
          kind,
          figure.median_ns,
          figure.interval,
          /*synthetic=*/false,
          cell.is_one_plan(),
          cell.gain,
          cell.gain_processes,
          cell.is_host_cpu_again,
          cell.preference,
          figure.drawbacks,
          !figure.disturbance.empty()};
}

// Fused and unfused of a single operator are one plan: it stands once.
void add_candidates(const CompareCell& cell, std::vector<MeasuredCandidate>& candidates) {
  if (cell.fused.figure) candidates.push_back(candidate_of(cell, PlanKind::kFused, *cell.fused.figure));
  if (cell.unfused.figure && !cell.is_one_plan())
    candidates.push_back(candidate_of(cell, PlanKind::kUnfused, *cell.unfused.figure));
}

}  // namespace

Choice choose_device(const CompareRow& row) {
  // The devices that take part, synthetic ones included, were decided before the table was built.
  std::vector<MeasuredCandidate> candidates;
  for (const CompareCell& cell : row.cells) add_candidates(cell, candidates);
  const DefaultChoice chosen = choose_default(candidates);
  if (!chosen.candidate && !candidates.empty()) return {"", PlanKind::kFused, chosen.reason};
  if (!chosen.candidate) {
    const auto failed =
        std::find_if(row.cells.begin(), row.cells.end(), [](const CompareCell& cell) { return !cell.fused.reason.empty(); });
    return {"", PlanKind::kFused, failed == row.cells.end() ? "not measured yet" : failed->fused.reason};
  }
  return {candidates[*chosen.candidate].device_id, candidates[*chosen.candidate].kind, chosen.reason};
}

std::optional<PlanKind> best_plan(const CompareCell& cell) {
  std::vector<MeasuredCandidate> candidates;
  add_candidates(cell, candidates);
  const DefaultChoice chosen = choose_default(candidates);
  return chosen.candidate ? std::optional(candidates[*chosen.candidate].kind) : std::nullopt;
}

std::optional<Margin> margin_over_next(const CompareRow& row) {
  const Figure* chosen = nullptr;
  const Figure* next = nullptr;
  std::string next_device;
  for (const CompareCell& cell : row.cells) {
    const auto plan = best_plan(cell);
    if (!plan) continue;
    const Figure& figure = *(*plan == PlanKind::kFused ? cell.fused : cell.unfused).figure;
    if (cell.device_id == row.recommended_device) {
      chosen = &figure;
    } else if (next == nullptr || figure.median_ns < next->median_ns) {
      next = &figure;
      next_device = cell.device_id;
    }
  }
  if (chosen == nullptr || next == nullptr || chosen->interval.low <= 0) return std::nullopt;
  const Interval ratio{next->interval.low / chosen->interval.high, next->interval.high / chosen->interval.low};
  return Margin{next_device, {next->median_ns / chosen->median_ns, ratio}, ratio.low <= 1 && ratio.high >= 1};
}

}  // namespace fuselab::engine
