// SPDX-License-Identifier: Apache-2.0
#include "app/engine/profile/profile_price.h"

#include <optional>

#include "core/base/units.h"
#include "core/profile/amd_counters.h"
#include "core/profile/nvidia_counters.h"

namespace fuselab::engine {
namespace {

// What counts on a target, and how.
struct Counting {
  CounterPlan plan;
  std::string library;
  std::size_t metrics() const {
    std::size_t sum = 0;
    for (const auto& pass : plan.passes) sum += pass.size();
    return sum;
  }
  std::string words() const {
    return std::to_string(metrics()) + " metrics in " + std::to_string(plan.passes.size()) + " launches of the plan";
  }
};

std::optional<Counting> counting_on(const std::string& target) {
  if (const NvidiaPlan* const plan = find_nvidia_plan(nvidia_chip_of(target))) return Counting{*plan, "CUPTI"};
  if (auto plan = amd_plan_without_device(target)) return Counting{std::move(plan->metrics), "rocprofiler-sdk"};
  return std::nullopt;
}

}  // namespace

std::string price_of_profile(const DeviceInfo& device, double seconds) {
  const std::optional<Counting> counting = counting_on(device.target.id);
  if (counting)
    return counting->library + " counts " + counting->words() + "; recording" +
           (counting->plan.series.empty() ? " takes" : " and sampling take") + " a few more. None of them is timed.";
  const std::string most = format_duration({seconds * 1e9});
  return "Launches under counters take " + most + " at most, other sizes and threads a few blocks more. None of them is a trial.";
}

std::string price_of_counters(const std::string& target) {
  const std::optional<Counting> counting = counting_on(target);
  if (!counting) return {};
  const CounterPlan& plan = counting->plan;
  std::string text = "device: nothing runs here. On " + plan.chip + " " + counting->library +
                     (counting->library == "CUPTI" ? " 13.0" : " 1.0") + " counts " + counting->words();
  for (const auto& [metric, why] : plan.refused)
    text.append(&metric == &plan.refused.front().first ? "; not " : ", ").append(metric).append(" (").append(why).append(")");
  if (!plan.series.empty())
    text += "; over the time of the plan, " + std::to_string(plan.series.size()) + " of them in one launch more";
  return text;
}

}  // namespace fuselab::engine
