// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <vector>

#include "profiler/verdict/verdict.h"

namespace fuselab::profile {

// A rule returns what it found; nothing where its bound is out of the question or its facts are missing.
using Rule = std::vector<Finding> (*)(const Facts&);
std::span<const Rule> verdict_rules();

// The execution of the hottest loop as its machine code predicts it: no cache misses, no waiting for memory.
struct PredictedExecution {
  double ns = 0;
  const LoopReport* loop = nullptr;
  std::string passes_from;
  double hot_share = 1;  // of the samples in the plan's kernels that lie in the loop
};
// Returns nothing where the loop's passes, its prediction or the clock are not known.
std::optional<PredictedExecution> predicted_execution(const Facts& facts);

}  // namespace fuselab::profile
