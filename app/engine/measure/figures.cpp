// SPDX-License-Identifier: Apache-2.0
#include "app/engine/measure/figures.h"

#include <algorithm>
#include <cstdio>
#include <string>

#include "app/engine/measure/roofline.h"
#include "app/views/plan_words.h"
#include "core/backend/last_cache.h"

namespace fuselab::engine {
namespace {

// Mistrusts a stored figure that beats the ceiling by more than a ceiling's possible error. It is no evidence, whoever stored it:
// the row was edited, or the ceiling was measured in a slow spell since.
template <typename Ideal>
void mistrust_faster_than_ideal(CompareCell& cell, const Ideal& ideal_of, bool single) {
  const auto judge = [&](Cell& plan, PlanKind kind) {
    if (!plan.figure) return;
    const double ideal_ns = ideal_of(plan.figure->drawbacks.stated);
    if (ideal_ns <= kMistrustedShare * plan.figure->median_ns) return;
    char percent[16];
    std::snprintf(percent, sizeof percent, "%.0f%%", 100 * ideal_ns / plan.figure->median_ns);
    plan.state = CellState::kFailed;
    plan.reason = std::string(plan_word(kind, single)) + " " + std::string(name_of(Outcome::kMistrusted)) +
                  ": the stored figure is " + percent +
                  " of what the device's measured ceiling allows; `fuselab db verify` checks the row, --remeasure measures again";
    plan.figure.reset();
    cell.mistrusted = true;
  };
  judge(cell.fused, PlanKind::kFused);
  judge(cell.unfused, PlanKind::kUnfused);
  if (cell.mistrusted) cell.gain.reset();  // it is the gain of the warm plans
  judge(cell.cold_fused, PlanKind::kFused);
  judge(cell.cold_unfused, PlanKind::kUnfused);
}

}  // namespace

void judge_against_ceiling(CompareCell& cell, const Piece& piece, const CeilingTable& ceilings, std::int64_t last_cache,
                           CacheMode mode) {
  if (ceilings.rows.empty()) return;
  const Bytes moved_among = working_set(piece.operation.cost, mode, last_cache);
  const auto light_of = [&](Drawbacks stated) {
    return speed_of_light(piece.operation.graph, least_cost(piece.operation.cost, stated), moved_among, ceilings);
  };
  const SpeedOfLight light = light_of(cell.fused.figure ? cell.fused.figure->drawbacks.stated : Drawbacks());
  if (light.ideal.count <= 0) return;
  const bool in_cache = fits_cache(footprint_class(moved_among), last_cache);
  if (mode == CacheMode::kRotating && in_cache) return;  // some machines have larger caches than the streams that are measured
  mistrust_faster_than_ideal(
      cell, [&](Drawbacks stated) { return light_of(stated).ideal.count; }, piece.operators.size() == 1);
  // Streams are measured over and over: the bandwidth that a cache gives them is no limit for a piece that starts with an empty
  // cache.
  if (mode != CacheMode::kWarm && light.memory_bound && (in_cache || last_cache <= 0)) return;
  cell.ideal_ns = light.ideal.count;
  cell.memory_bound = light.memory_bound;
  cell.in_cache = in_cache;
  if (cell.fused.figure) cell.share_of_ceiling = light.ideal.count / cell.fused.figure->median_ns;
}

Figure figure_of(const TrialRecord& trial, Accepted accepted) {
  return {trial.median_ns,
          {trial.low_ns, trial.high_ns},
          trial.id,
          trial.config,
          trial.retimed,
          trial.compile_time.count,
          trial.result.first_launch.count,
          trial.result.reason,
          plan_drawbacks(trial.config, accepted)};
}

const TrialRecord* timed_of_kind(const std::vector<TrialRecord>& trials, PlanKind kind) {
  const auto found = std::find_if(trials.begin(), trials.end(), [&](const TrialRecord& trial) {
    return trial.kind == kind && trial.result.outcome == Outcome::kTimed;
  });
  return found == trials.end() ? nullptr : &*found;
}

}  // namespace fuselab::engine
