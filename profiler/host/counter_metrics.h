// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "core/profile/metric.h"
#include "profiler/host/event_ladder.h"

namespace fuselab::profile {

// Adds the metrics of a group that was counted over so many launches. An event that was counted for a part of the time only is
// extrapolated and marked; one that never had its turn has a reason.
void add_metrics(const EventGroup& group, const GroupReading& reading, int launches, std::vector<Metric>& metrics);

// Adds the metrics of a group that could not be opened, with the reason.
void add_missing(const EventGroup& group, const std::string& reason, std::vector<Metric>& metrics);

// Adds what follows from other metrics: ratios, bytes, the clock. `wall_ns`: of one launch.
void add_derived(double wall_ns, std::vector<Metric>& metrics);

}  // namespace fuselab::profile
