// SPDX-License-Identifier: Apache-2.0
#include "app/engine/measure/figures.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

#include "app/engine/measure/roofline.h"
#include "app/views/plan_words.h"
#include "core/backend/last_cache.h"
#include "core/base/formatted.h"
#include "core/measure/disturbance.h"

namespace fuselab::engine {
namespace {

std::string times_ceiling(double share) {
  return formatted("%.0f%% of what its measured ceiling allows", 100 * share);
}

// The share by the ceilings timed beside the figure: these are of the same minute and know better than stored ones. Nothing where
// they were beaten for certain, since then their form was not the fastest.
std::optional<PairedShare> beside_of(const Figure& figure) {
  std::optional<PairedShare> found = figure.of_ceiling;
  if (!found || found->share.interval.low > kMistrustedShare) return std::nullopt;
  found->share.value = std::min(found->share.value, kMistrustedShare);
  return found;
}

// Withholds a stored figure that beats the ceiling by more than a ceiling's possible error: the row was edited, or the ceiling was
// measured in a slow spell. A withheld one learns its share.
template <typename Ideal>
void withhold_faster_than_ideal(CompareCell& cell, const Ideal& ideal_of, bool single) {
  const auto judge = [&](Cell& plan, PlanKind kind) {
    const Figure* const figure = plan.figure ? &*plan.figure : plan.withheld ? &*plan.withheld : nullptr;
    if (figure == nullptr) return;
    const double share =
        beside_of(*figure) ? beside_of(*figure)->share.value : ideal_of(figure->drawbacks.stated) / figure->median_ns;
    if (!plan.figure || share > kMistrustedShare) plan.share_of_ceiling = share;
    if (!plan.figure || share <= kMistrustedShare) return;
    withhold(plan, *plan.figure, kind, single,
             "the stored figure is " + times_ceiling(share) + "; `fuselab db verify` checks the row, --remeasure measures again");
  };
  judge(cell.fused, PlanKind::kFused);
  judge(cell.unfused, PlanKind::kUnfused);
  if (!cell.fused.figure || !cell.unfused.figure) cell.gain.reset();  // it is the gain of the warm plans
  judge(cell.cold_fused, PlanKind::kFused);
  judge(cell.cold_unfused, PlanKind::kUnfused);
}

}  // namespace

void withhold(Cell& cell, Figure figure, PlanKind kind, bool single_operator, const std::string& why) {
  cell.state = CellState::kWithheld;
  cell.reason = std::string(plan_word(kind, single_operator)) + " withheld: " + why;
  cell.withheld = std::move(figure);
  cell.figure.reset();
}

void judge_against_ceiling(CompareCell& cell, const Piece& piece, const CeilingTable& ceilings, std::int64_t last_cache,
                           CacheMode mode, CeilingsOf of) {
  if (ceilings.rows.empty()) return;
  const Bytes moved_among = working_set(piece.operation.cost, mode, last_cache);
  const auto light_of = [&](Drawbacks stated) {
    return speed_of_light(piece.operation.graph, least_cost(piece.operation.cost, stated), moved_among, ceilings);
  };
  const SpeedOfLight light = light_of(cell.fused.figure ? cell.fused.figure->drawbacks.stated : Drawbacks());
  if (light.ideal.count <= 0) return;
  const bool in_cache = fits_cache(footprint_class(moved_among), last_cache);
  if (mode == CacheMode::kRotating && in_cache) return;  // some machines have larger caches than the streams that are measured
  if (of == CeilingsOf::kItself) {
    withhold_faster_than_ideal(
        cell, [&](Drawbacks stated) { return light_of(stated).ideal.count; }, piece.operators.size() == 1);
  } else if (cell.fused.figure && !beside_of(*cell.fused.figure) &&
             light.ideal.count > kMistrustedShare * cell.fused.figure->median_ns) {
    return;
  }
  // Streams are measured over and over: the bandwidth that a cache gives them is no limit for a piece that starts with an empty
  // cache.
  if (mode != CacheMode::kWarm && light.memory_bound && (in_cache || last_cache <= 0)) return;
  cell.ideal_ns = light.ideal.count;
  cell.memory_bound = light.memory_bound;
  cell.in_cache = in_cache;
  if (!cell.fused.figure) return;
  const Figure& fused = *cell.fused.figure;
  cell.share_of_ceiling = light.ideal.count / fused.median_ns;
  const auto beside = beside_of(fused);
  if (!beside) return;
  cell.share_of_ceiling = beside->share.value;
  if (beside->share.interval.low < beside->share.interval.high) cell.share_interval = beside->share.interval;
  cell.memory_bound = beside->memory_bound;
  cell.ideal_ns = fused.median_ns * std::min(1.0, beside->share.value);
}

std::optional<PairedShare> share_beside(const TrialRecord& trial, const Piece& piece, const CeilingTable& ceilings) {
  if (!trial.conditions) return std::nullopt;
  const PairedCeiling& beside = trial.conditions->ceiling;
  const Cost cost = least_cost(piece.operation.cost, plan_drawbacks(trial.config, {}).stated);
  std::optional<PairedShare> found = paired_share(cost, trial.result.samples, beside);
  if (!found) return found;
  const CeilingSpec& spec = beside.spec;
  const std::string kind = found->memory_bound ? "stream" : spec.arithmetic;
  const Ceiling* const of_threads =
      found->memory_bound ? ceilings.best_of(kind, spec.read_streams, spec.write_streams, spec.footprint, spec.threads)
                          : ceilings.best_of(kind, 0, 0, Bytes{}, spec.threads);
  const double most = found->memory_bound ? ceilings.bandwidth_of_class(spec.read_streams, spec.write_streams, spec.footprint)
                                          : ceilings.peak_flops(arithmetic_of(piece.operation.graph));
  if (of_threads == nullptr || most <= of_threads->per_second || !std::isfinite(most)) return found;
  const double part = of_threads->per_second / most;
  Ratio& share = found->share;
  share.value *= part;
  share.interval = {share.value, share.value};
  return found;
}

Figure figure_of(const TrialRecord& trial, Accepted accepted) {
  return {trial.median_ns,
          {trial.low_ns, trial.high_ns},
          trial.id,
          trial.config,
          trial.retimed,
          trial.compile_time.count,
          trial.result.first_launch.count,
          says_disturbed(trial.result) ? trial.result.reason : std::string(),
          plan_drawbacks(trial.config, accepted),
          std::nullopt,
          trial.created_unix_ms};
}

const TrialRecord* timed_of_kind(const std::vector<TrialRecord>& trials, PlanKind kind) {
  const auto found = std::find_if(trials.begin(), trials.end(), [&](const TrialRecord& trial) {
    return trial.kind == kind && trial.result.outcome == Outcome::kTimed;
  });
  return found == trials.end() ? nullptr : &*found;
}

}  // namespace fuselab::engine
