// SPDX-License-Identifier: Apache-2.0
#include "app/gate/judge/timers_used.h"

#include <algorithm>

#include "core/measure/timer_cost.h"

namespace fuselab::engine {

std::vector<std::pair<std::string, std::string>> timers_used(std::span<const ReplaySpec> plans,
                                                             std::span<const CheckedCase> cases) {
  std::vector<std::pair<std::string, std::string>> timers;
  for (std::size_t i = 0; i < cases.size() && i < plans.size(); ++i) {
    const CheckedCase& each = cases[i];
    if (!each.first || each.first->processes.empty()) continue;
    if (each.outcome.backend == kCommandBackend || plans[i].device.synthetic) continue;  // a command has no device
    const std::string name = "timer of " + each.outcome.device;
    const bool told = std::ranges::any_of(timers, [&](const auto& timer) { return timer.first == name; });
    if (!told) timers.emplace_back(name, timer_text(each.first->processes.front().conditions.timer));
  }
  return timers;
}

}  // namespace fuselab::engine
