// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "core/profile/device_timeline.h"
#include "profiler/trace/trace_recorder.h"

namespace fuselab::profile {

// Returns a device's trace as spans of a timeline, on the host's clock: a lane for each stream, one for the host's calls and one
// for overhead. `device`: "cuda:0". `trial`: of which the plan is; empty where none is stored.
std::vector<TraceSpan> spans_of(const DeviceTrace& trace, const std::string& device, const std::string& trial = {});

}  // namespace fuselab::profile
