// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <map>
#include <string>
#include <vector>

#include "app/engine/subject/job_spec.h"
#include "core/measure/timer_cost.h"

namespace fuselab::engine {

// The longest wait for a device that another process measures on, opening it included. It is short because the timer's cost is only
// a side note.
inline constexpr std::chrono::milliseconds kTimerWait{10'000};

// Measures the timer cost of these backends' devices, by device id. Each device is opened in a worker, which times nothing 301
// times; nothing is stored. A cost is unknown, with the reason, where a device cannot time nothing (scripted ones), does not open,
// or does not become free within `wait`.
std::map<std::string, TimerCost> measure_timers(const Config& config, const std::vector<BackendReport>& backends,
                                                std::chrono::milliseconds wait = kTimerWait);

}  // namespace fuselab::engine
