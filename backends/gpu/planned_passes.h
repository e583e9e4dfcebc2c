// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "core/backend/counter_collector.h"
#include "core/profile/counter_plan.h"

namespace fuselab::gpu {

// Returns the passes of a plan that these metrics need; each other one is refused, with the plan's reason or in the vendor's name:
// "CUPTI has no such counter".
CounterPasses planned_passes(const CounterPlan& plan, std::span<const std::string> metrics, std::string_view vendor);

// Returns what counts a metric in the plan; null where nothing does.
const std::string* planned_counter(const CounterPlan& plan, std::string_view metric);

}  // namespace fuselab::gpu
