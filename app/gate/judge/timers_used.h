// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>
#include <utility>
#include <vector>

#include "app/engine/measure/paired_replay.h"
#include "app/gate/judge/judgement.h"

namespace fuselab::engine {

// Returns the cost of reading the timer of each device that something was compared on, as its first process measured it: "timer of
// cpu:0" -> "30 ns overhead (host-wall clock, resolution 1 ns, 301 empty timings)". `plans` are those of the cases, in order.
std::vector<std::pair<std::string, std::string>> timers_used(std::span<const ReplaySpec> plans, std::span<const CheckedCase> cases);

}  // namespace fuselab::engine
