// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>

#include "core/graph/graph.h"
#include "core/kernel/drawback.h"
#include "core/reference/reference.h"

namespace fuselab {

// The accepted error: |actual − expected| ≤ absolute + relative·max(|expected|, magnitude). `relative` is the round-off of the
// arithmetic times a safety factor; the growth of a result's error with the dtype, the lengths of its reductions and the depth of
// its chain is in ExpectedOutput::magnitude, per element. The derivation, from probabilistic rounding error analysis (Higham & Mary
// 2019) and the documented error of the transcendentals, is in tolerance.cpp.
struct Tolerance {
  double relative = 0;
  double absolute = 0;
};

Tolerance tolerance_for(const Graph& graph, ValueId output);

// The outcome of comparing one kernel's outputs with the reference. Stored with the trial.
struct Verification {
  bool passed = false;
  std::int64_t checked = 0;  // outputs looked at
  double max_error = 0;      // largest |actual − expected|
  double mean_error = 0;
  double worst_ratio = 0;  // largest error as a multiple of its tolerance; ≤ 1 passes
  std::string detail;      // the first outlier: "output 0 at [3,17]: 0.25, expected 0.5"; when passed: what else was tried
};

// Compares one kernel's outputs with the reference. Specials must match in kind: NaN for NaN, Inf with its sign. Elements whose
// intermediates leave the dtype's range cannot be judged and are not counted in `checked`; an output with no element that can be
// judged has not passed. `worst_ratio` is the largest double when the kinds differ.
// `stated`: the drawbacks that a kernel of the plan states. With kNanLoss, which is for special inputs alone, results that should
// be NaN are not judged; all others are, and a NaN in place of a number is an error. Where has_wider_tolerance() says so the error
// may be kWiderToleranceFactor times as large, relative to the largest magnitude of the output: Winograd's sums mix the results of
// a tile, and a library's approximation is made for numbers near that magnitude. `pattern`: of the inputs. Of ordinary ones an
// output of a graph of many contractions is judged by kDeepShare where its bounds say nothing.
Verification compare_outputs(const Graph& graph, std::span<const ExpectedOutput> expected, std::span<const RealTensor> actual,
                             Drawbacks stated = {}, InputPattern pattern = InputPattern::kUniform);

// From one contraction to the next the bound of an error grows with the sum of the weights' magnitudes, and the error itself hardly
// does. From this many in one graph on the bounds may allow more than the results are large, or leave the range of a double. Where
// most of an output's do, an element may be away from the exact one by at most this share of the largest that is checked, in types
// of 16 bits by 32 of their round-offs.
inline constexpr int kDeepContractions = 3;
inline constexpr double kDeepShare = 0x1p-10;

// Measured: Winograd's F(4×4, 3×3) is four to nine times as far from the exact result as a direct sum. What loses precision has the
// same room.
inline constexpr double kWiderToleranceFactor = 10;

}  // namespace fuselab
