// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "profiler/trace/trace_recorder.h"

namespace fuselab {

// Returns spans as one JSON object of the Trace Event Format (the JSON Object Format with complete events, "ph": "X", and the
// metadata events that name processes and threads), which Perfetto and chrome://tracing open. Times are microseconds since the
// first span. `spans` in the order of starts. `lost` and `tool` ("fuselab 0.1.0") stand in "otherData".
std::string chrome_trace(std::span<const TraceSpan> spans, std::int64_t lost, const std::string& tool);

}  // namespace fuselab
