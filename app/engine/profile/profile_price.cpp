// SPDX-License-Identifier: Apache-2.0
#include "app/engine/profile/profile_price.h"

#include "core/base/units.h"
#include "core/profile/nvidia_counters.h"

namespace fuselab::engine {
namespace {

std::string metrics_in_launches(const NvidiaPlan& plan) {
  return std::to_string(nvidia_counters().size() - plan.refused.size()) + " metrics in " + std::to_string(plan.passes.size()) +
         " launches of the plan";
}

}  // namespace

std::string price_of_profile(const DeviceInfo& device, double seconds) {
  if (const NvidiaPlan* const plan = find_nvidia_plan(nvidia_chip_of(device.target.id)))
    return "CUPTI counts " + metrics_in_launches(*plan) + "; recording and sampling take a few more. None of them is timed.";
  const std::string most = format_duration({seconds * 1e9});
  return "Launches under counters take " + most + " at most, other sizes and threads a few blocks more. None of them is a trial.";
}

std::string price_of_counters(const std::string& target) {
  const NvidiaPlan* const plan = find_nvidia_plan(nvidia_chip_of(target));
  if (plan == nullptr) return {};
  std::string text = "device: nothing runs here. On " + plan->chip + " CUPTI 13.0 counts " + metrics_in_launches(*plan);
  for (const auto& [metric, why] : plan->refused)
    text.append(&metric == &plan->refused.front().first ? "; not " : ", ").append(metric).append(" (").append(why).append(")");
  if (!plan->series.empty())
    text += "; over the time of the plan, " + std::to_string(plan->series.size()) + " of them in one launch more";
  return text;
}

}  // namespace fuselab::engine
