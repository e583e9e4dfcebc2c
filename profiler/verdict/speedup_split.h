// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "core/cost/cost.h"
#include "core/graph/graph.h"
#include "core/profile/profile.h"
#include "profiler/verdict/cache_levels.h"

namespace fuselab::profile {

struct SplitInput {
  const Graph& graph;  // concrete: the whole piece
  Cost cost;
  int operators = 1;  // that run one after the other in the unfused plan
  std::vector<CacheLevel> levels;
  const Standing& standing;  // of the fused plan
  double unfused_ns = 0, fused_ns = 0;
  double gain = 0, low = 0, high = 0;  // measured; 0: not
  int processes = 0;
  // Arithmetic of the two plans as counted (FLOPs, or instructions where only these are): 0: not counted.
  double unfused_work = 0, fused_work = 0;
  std::string work = {};                // "FLOPs", "instructions"
  const LoopReport* hottest = nullptr;  // of the fused plan
};

// Splits the difference between the unfused and the fused plan into its reasons: traffic of intermediates by the level that they
// lie in, launches, arithmetic that is done more or less often, and what none of these explains.
SpeedupSplit split_speedup(const SplitInput& input);

}  // namespace fuselab::profile
