// SPDX-License-Identifier: Apache-2.0
#include "app/engine/tune/tuning_worth.h"

#include <algorithm>
#include <optional>

#include "app/views/choice.h"
#include "core/base/formatted.h"
#include "core/base/units.h"

namespace fuselab::engine {
namespace {

// Returns the median of the plan that the device would run; nothing where there is no figure that may be chosen.
std::optional<double> best_ns(const CompareCell& cell) {
  const std::optional<PlanKind> plan = best_plan(cell);
  if (!plan) return std::nullopt;
  return (*plan == PlanKind::kFused ? cell.fused : cell.unfused).figure->median_ns;
}

}  // namespace

TuningWorth tuning_worth(const CompareRow& row, const std::string& device_id) {
  const CompareCell* fastest = nullptr;
  const CompareCell* here = nullptr;
  for (const CompareCell& cell : row.cells) {
    if (cell.device_id == device_id) here = &cell;
    const auto ns = best_ns(cell);
    if (ns && (fastest == nullptr || *ns < *best_ns(*fastest))) fastest = &cell;
  }
  const auto ns = here == nullptr ? std::nullopt : best_ns(*here);
  if (!ns) return {};
  const double best = *best_ns(*fastest), ideal = here->ideal_ns.value_or(0);
  const double reachable = std::max(ideal, *ns / kTuningWinsAtMost);
  TuningWorth worth{row.count * std::max(0.0, best - reachable), ""};
  if (here == fastest || reachable < best) return worth;
  const std::string other = fastest->device_id + "'s " + format_duration({best});
  worth.given_up = ideal >= best ? "even its ideal, " + format_duration({ideal}) + ", is slower than " + other
                                 : format_duration({*ns}) + " is " + formatted("%.1f times ", *ns / best) + other +
                                       formatted(", and tuning is taken to win a factor of %.0f at most", kTuningWinsAtMost);
  return worth;
}

}  // namespace fuselab::engine
