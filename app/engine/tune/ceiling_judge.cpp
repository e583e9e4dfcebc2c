// SPDX-License-Identifier: Apache-2.0
#include "app/engine/tune/ceiling_judge.h"

#include <algorithm>
#include <set>

#include "app/engine/measure/roofline.h"
#include "app/views/plan_words.h"
#include "core/graph/graph_text.h"
#include "core/stats/statistics.h"

namespace fuselab::engine {
namespace {

constexpr std::int64_t kNewestToCompare = 1000;

}  // namespace

Result<CeilingSpec> CeilingJudge::beside(const Piece& piece, const PieceConfigs& configs) {
  if (device_.synthetic || !configs.front().ok()) return CeilingSpec{};
  const Cost& cost = piece.operation.cost;
  const Status covered = calibration_.cover(piece.operation.graph, cost);
  const bool died = !covered.ok() && (covered.error().code == ErrorCode::kCrashed || covered.error().code == ErrorCode::kTimeout);
  if (died) return CeilingSpec{};  // the figure does not go with it
  FL_TRY_VOID(covered);
  return calibration_.beside(piece.operation.graph, cost, static_cast<int>(configs.front().value().integer("threads", 0)));
}

// A figure that beats its ceiling means that the ceiling or the figure is wrong. A ceiling timed in turns with the plan is of the
// same minute, and is asked first. The stored one is measured again, more than once since a shared machine's memory has slow
// spells, and a figure that still beats the best of them is not believed, unless others agree with it.
Result<bool> CeilingJudge::beats_ceiling(const Plan& plan, const Cost& cost, const PairedCeiling& beside,
                                         const PlanResult& result) {
  const Graph& graph = plan.graph;
  FL_TRY_VOID(calibration_.cover(graph, cost));
  const double median_ns = summarize(result.samples).median;
  const auto light_now = [&] {
    return speed_of_light(graph, cost, calibration_.working_set(cost), calibration_.table(), Nanoseconds{median_ns});
  };
  SpeedOfLight light = light_now();
  if (light.share <= kMistrustedShare) return false;
  const auto paired = paired_share(cost, result.samples, beside);
  if (paired && paired->memory_bound == light.memory_bound && paired->share.interval.low <= kMistrustedShare) return false;
  while (light.share > kMistrustedShare) {
    FL_TRY(const bool measured_again, calibration_.measure_again(graph, cost, light.memory_bound));
    if (!measured_again) {
      FL_TRY(const bool agreed, others_agree(plan, median_ns));
      if (agreed) FL_TRY_VOID(calibration_.raise(graph, cost, light.memory_bound, median_ns * 1e-9));
      return !agreed;
    }
    light = light_now();
  }
  return false;
}

Result<bool> CeilingJudge::others_agree(const Plan& plan, double median_ns) {
  constexpr double kAlike = 1.1;
  if (device_.type != "cpu") return false;
  FL_TRY(const Catalog catalog, context_.queries.catalog());
  std::set<std::string> same_processor;
  for (const DeviceInfo& device : catalog.devices) {
    if (device.type == "cpu" && device.backend != device_.backend) same_processor.insert(device.id);
  }
  TrialFilter filter;
  filter.piece_key = graph_key(plan.graph).hex();
  filter.metric_key = context_.metric_key;
  filter.run_id = context_.run_id;
  FL_TRY(const auto rows, context_.queries.page(filter, TrialOrder::kNewestFirst, 0, kNewestToCompare));
  const PlanKind kind = plan.steps.size() > 1 ? PlanKind::kUnfused : PlanKind::kFused;
  return std::any_of(rows.begin(), rows.end(), [&](const TrialRow& row) {
    const bool verified = row.outcome == name_of(Outcome::kTimed) || row.outcome == name_of(Outcome::kMistrusted);
    return verified && row.kind == kind && same_processor.contains(row.device_id) &&
           plan_drawbacks(row.config, {}).stated == stated_drawbacks(plan) && row.median_ns < kAlike * median_ns &&
           median_ns < kAlike * row.median_ns;
  });
}

Status CeilingJudge::judge(const Plan& plan, const PairedCeiling& beside, PlanResult& result) {
  if (result.outcome != Outcome::kTimed) return {};
  FL_TRY(const Cost usual, cost_of(plan.graph));
  const Cost cost = least_cost(usual, stated_drawbacks(plan));
  if (device_.synthetic) return calibration_.cover(plan.graph, cost);
  if (!calibration_.judges(cost)) return {};
  Result<bool> beaten = beats_ceiling(plan, cost, beside, result);
  if (!beaten.ok() && beaten.error().code == ErrorCode::kCrashed) beaten = beats_ceiling(plan, cost, beside, result);
  // A worker that died while judging does not lose the figure; since it then has a reason, it is measured again.
  const bool unjudged = !beaten.ok() && (beaten.error().code == ErrorCode::kCrashed || beaten.error().code == ErrorCode::kTimeout);
  if (unjudged) {
    result.reason += (result.reason.empty() ? "" : "; ") + ("compared with no ceiling: " + beaten.error().message);
    return {};
  }
  if (!beaten.ok()) return beaten.error();
  if (!beaten.value()) return {};
  result.outcome = Outcome::kMistrusted;
  result.reason = "faster than the device's measured ceiling allows, which was measured " +
                  std::to_string(Calibration::kMostRemeasurements) + " times more";
  return {};
}

}  // namespace fuselab::engine
