// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <stop_token>
#include <string>

#include "app/engine/workers/worker_pool.h"
#include "core/graph/graph.h"

namespace fuselab::engine {

// What came of running a generated text without a device, at reduced extents, against the float64 reference.
struct EmulatedMatch {
  enum class Kind { kMatched, kWrong, kNotTried } kind = Kind::kNotTried;
  std::string detail;   // what differed, or why it was not tried
  std::string extents;  // the reduced graph's inputs, "x: f32[2,3,8,8]"
};

// Blocks; runs in a worker process. `graph` is the piece at full shape.
EmulatedMatch match_emulated(WorkerPool& pool, const Graph& graph, const std::string& backend, const Target& target,
                             std::stop_token stop);

}  // namespace fuselab::engine
