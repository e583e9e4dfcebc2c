// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "app/engine/execute/runtime_executor.h"

namespace fuselab::engine {

// What the pieces of one kind take in a steady pass.
struct SteadyRow {
  std::string operators;  // "MatMul+Add+Gelu"
  int pieces = 0;
  Nanoseconds time;  // of all of them, by the median of each
  double share = 0;  // of all kernels
};

struct SteadySums {
  int passes = 0;
  Nanoseconds least, median, most95;  // of whole passes, all kernels; most95: 95 % of the passes take no longer
  std::vector<SteadyRow> rows;        // the longest first
};

// Returns the sums of a run with repeated passes; nothing without any.
std::optional<SteadySums> steady_sums(const ExecutionResult& run);

}  // namespace fuselab::engine
