// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>

#include "core/profile/metric.h"
#include "profiler/host/counter_source.h"

namespace fuselab::profile {

// The collector's version, which changes whenever the same launches would give other figures.
inline constexpr int kHostCollectorVersion = 2;

// Launches a plan so many times, back to back, and returns the time of all of them.
using Launches = std::function<Result<double>(int)>;

// Counts what the processor does during extra launches of a plan: each group of events around launches of its own, so that no event
// waits for a turn that it need not wait for, and samples of the running instruction around others. `seconds`: of launches, about;
// a plan of which so few fit has its first group counted, and the rest while there is time. What is left out then, and errors of
// the counters, are reasons within the result; it fails only when a launch fails.
Result<CounterSet> count_launches(CounterSource& source, const Launches& launches, double seconds);

}  // namespace fuselab::profile
