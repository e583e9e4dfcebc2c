// SPDX-License-Identifier: Apache-2.0
#include "backends/gpu/planned_passes.h"

#include <algorithm>

namespace fuselab::gpu {

const std::string* planned_counter(const CounterPlan& plan, std::string_view metric) {
  for (const auto& pass : plan.passes) {
    const auto found = std::ranges::find(pass, metric, &CounterPlan::Named::first);
    if (found != pass.end()) return &found->second;
  }
  return nullptr;
}

CounterPasses planned_passes(const CounterPlan& plan, std::span<const std::string> metrics, std::string_view vendor) {
  const auto is_asked = [&](const std::string& metric) { return std::ranges::find(metrics, metric) != metrics.end(); };
  CounterPasses passes;
  for (const auto& pass : plan.passes) {
    std::vector<std::string> names;
    for (const auto& [metric, counter] : pass) {
      if (is_asked(metric)) names.push_back(metric);
    }
    if (!names.empty()) passes.passes.push_back(std::move(names));
  }
  for (const std::string& metric : metrics) {
    if (planned_counter(plan, metric) != nullptr) continue;
    const auto refused = std::ranges::find(plan.refused, metric, &CounterPlan::Named::first);
    Metric& none = passes.refused.emplace_back();
    none.name = metric;
    none.reason = refused == plan.refused.end() ? std::string(vendor) + " has no such counter" : plan.chip + ": " + refused->second;
  }
  return passes;
}

}  // namespace fuselab::gpu
