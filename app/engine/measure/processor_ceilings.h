// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <tuple>

#include "core/measure/ceilings/ceiling.h"

namespace fuselab::engine {

// The ceilings of one piece of silicon and what a job did to measure them. All devices of the host's processor share one, since the
// limits are the processor's and not a backend's. Used by one job thread.
struct ProcessorCeilings {
  using Limit = std::tuple<int, int, std::int64_t>;  // reads, writes and footprint of a stream class; all 0: the arithmetic rate

  CeilingTable table;
  std::map<Limit, int> remeasurements;
  std::set<Limit> touched;  // measured by this job
};

}  // namespace fuselab::engine
