// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <map>
#include <string>
#include <vector>

#include "app/engine/subject/job_spec.h"
#include "core/measure/timer_cost.h"

namespace fuselab::engine {

// How long a device is waited for that somebody else measures on, opening it included: the figure is nice to know, no more.
inline constexpr std::chrono::milliseconds kTimerWait{10'000};

// What the timers of these backends' devices cost, by device id: each device is opened in a worker, 301 times nothing is timed, and
// nothing is stored. Unknown with the reason where a device cannot time nothing (scripted ones), does not open, or is not had
// within `wait`.
std::map<std::string, TimerCost> measure_timers(const Config& config, const std::vector<BackendReport>& backends,
                                                std::chrono::milliseconds wait = kTimerWait);

}  // namespace fuselab::engine
