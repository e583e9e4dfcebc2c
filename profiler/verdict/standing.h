// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "core/cost/cost.h"
#include "core/graph/graph.h"
#include "core/measure/ceilings/ceiling.h"
#include "core/measure/protocol.h"
#include "core/profile/code_report.h"
#include "core/profile/metric.h"
#include "core/profile/standing.h"
#include "profiler/verdict/cache_levels.h"

namespace fuselab::profile {

struct StandingInput {
  const Graph& graph;  // concrete
  Cost cost;
  Bytes working_set;
  int reads = 1, writes = 1;  // streams of its compulsory traffic, as ceilings are measured
  CeilingTable ceilings;
  std::vector<CacheLevel> levels;
  double measured_ns = 0;  // 0: not known; then there are no shares
  int steps = 1, threads = 1, device_threads = 1;
  const CodeReport* code = nullptr;      // may be null
  const CounterSet* counters = nullptr;  // may be null
  CacheMode mode = CacheMode::kWarm;     // in which the time was measured
};

// Places a plan under the device's measured ceilings. The compulsory bytes pass the level that holds the working set, and memory
// where no cache held them before the launch; what passes L1 follows from the machine code of the hottest loop where its passes are
// known, what passes memory from counters, which are of warm launches.
Standing standing_of(const StandingInput& input);

}  // namespace fuselab::profile
