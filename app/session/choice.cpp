// SPDX-License-Identifier: Apache-2.0
#include "app/session/choice.h"

#include <algorithm>
#include <cstdio>

#include "core/select/default_choice.h"

namespace fuselab::session {
namespace {

MeasuredCandidate candidate_of(const CompareCell& cell, PlanKind kind, const Figure& figure) {
  return {cell.device_id, cell.backend, kind, figure.median_ns, figure.interval, /*synthetic=*/false, cell.is_one_plan()};
}

// Fused and unfused of a single operator are one plan: it stands once.
std::vector<MeasuredCandidate> candidates_of(const CompareRow& row) {
  std::vector<MeasuredCandidate> candidates;
  for (const CompareCell& cell : row.cells) {
    if (cell.fused.figure) candidates.push_back(candidate_of(cell, PlanKind::kFused, *cell.fused.figure));
    if (cell.unfused.figure && !cell.is_one_plan())
      candidates.push_back(candidate_of(cell, PlanKind::kUnfused, *cell.unfused.figure));
  }
  return candidates;
}

// What fusing did, from the one block in which both were measured: losing is said as plainly as winning.
std::string fusion_text(const Ratio& gain) {
  char numbers[96];
  std::snprintf(numbers, sizeof numbers, "%.2fx [%.2f, %.2f]", gain.value, gain.interval.low, gain.interval.high);
  if (gain.interval.low > 1) return std::string("; fusing gains ") + numbers;
  if (gain.interval.high < 1) return std::string("; fusing loses: ") + numbers;
  return std::string("; fused and unfused are the same within noise: ") + numbers;
}

}  // namespace

Choice choose_device(const CompareRow& row) {
  // Which devices take part was decided before the table was built, synthetic ones included.
  std::vector<MeasuredCandidate> const candidates = candidates_of(row);
  DefaultChoice const chosen = choose_default(candidates);
  if (!chosen.candidate) {
    auto const failed =
        std::find_if(row.cells.begin(), row.cells.end(), [](const CompareCell& cell) { return !cell.fused.reason.empty(); });
    return {"", PlanKind::kFused, failed == row.cells.end() ? "not measured yet" : failed->fused.reason};
  }
  Choice choice{candidates[*chosen.candidate].device_id, candidates[*chosen.candidate].kind, chosen.reason};
  auto const cell =
      std::find_if(row.cells.begin(), row.cells.end(), [&](const CompareCell& c) { return c.device_id == choice.device_id; });
  if (cell->gain) choice.reason += fusion_text(*cell->gain);
  return choice;
}

}  // namespace fuselab::session
