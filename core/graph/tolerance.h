// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>

#include "core/graph/graph.h"
#include "core/graph/reference.h"

namespace fuselab {

// |actual − expected| ≤ absolute + relative·max(|expected|, magnitude). The derivation stands in tolerance.cpp:
// unit round-off of the dtype × (1 + sqrt(longest reduction)·c + depth of the chain), from probabilistic rounding
// error analysis (Higham & Mary 2019), plus the documented error of the transcendentals.
struct Tolerance {
  double relative = 0;
  double absolute = 0;
};

Tolerance tolerance_for(const Graph& graph, ValueId output);

// What comparing one kernel's outputs with the reference found. Stored with the trial.
struct Verification {
  bool passed = false;
  std::int64_t checked = 0;  // outputs looked at
  double max_error = 0;      // largest |actual − expected|
  double mean_error = 0;
  double worst_ratio = 0;  // largest error as a multiple of its tolerance; ≤ 1 passes
  std::string detail;      // the first outlier: "output 0 at [3,17]: 0.25, expected 0.5"; empty when passed
};

// Specials must match in kind: NaN for NaN, Inf with its sign.
Verification compare_outputs(const Graph& graph, std::span<const ExpectedOutput> expected, std::span<const RealTensor> actual);

// Freivalds' check of C = A·B with `rounds` seeded ±1 vectors: O(n²), a wrong product survives with probability 2^-rounds.
// Only for graphs whose single node is a MatMul or Gemm; others pass with checked = 0.
Verification freivalds_check(const Graph& graph, std::span<const RealTensor> inputs, std::span<const RealTensor> actual, int rounds,
                             std::uint64_t seed);

}  // namespace fuselab
