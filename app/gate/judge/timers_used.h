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
// cpu:0" -> "30 ns by host-wall, told to 1 ns (301 timings of nothing)". `plans` are those of the cases, in order.
std::vector<std::pair<std::string, std::string>> timers_used(std::span<const ReplaySpec> plans, std::span<const CheckedCase> cases);

}  // namespace fuselab::engine
