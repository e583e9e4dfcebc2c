// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>

#include "core/graph/graph.h"
#include "core/reference/reference.h"

namespace fuselab {

// |actual − expected| ≤ absolute + relative·max(|expected|, magnitude). `relative` is the round-off of the arithmetic times
// a safety factor; how a result's error grows with the dtype, the lengths of its reductions and the depth of its chain is
// in ExpectedOutput::magnitude, per element. The derivation, from probabilistic rounding error analysis (Higham & Mary
// 2019) and the documented error of the transcendentals, stands in tolerance.cpp.
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
  std::string detail;      // the first outlier: "output 0 at [3,17]: 0.25, expected 0.5"; when passed: what else was tried
};

// Whether a kernel answers for results that should be NaN. kUnjudged is for one that states that it loses them (`nan=lost`), with
// special inputs, and for nothing else.
enum class NanResults { kJudged, kUnjudged };

// Specials must match in kind: NaN for NaN, Inf with its sign. Elements whose intermediates leave the dtype's range cannot
// be judged and are not counted in `checked`; an output of which none can be judged has not passed. `worst_ratio` is the largest
// double when the kinds differ. Where NaN results are not judged, all others are: a NaN instead of a number is wrong as ever.
Verification compare_outputs(const Graph& graph, std::span<const ExpectedOutput> expected, std::span<const RealTensor> actual,
                             NanResults nan_results = NanResults::kJudged);

}  // namespace fuselab
