// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "core/base/result.h"
#include "core/stats/statistics.h"

// Finds where the level of a series of measurements changed: for trends and bisection, never for a gate. A gate compares two
// kernels side by side (comparison.h); a series has one figure per run, and a change shows only once several runs follow it.
namespace fuselab {

// One run: the logarithm of a ratio to something that was measured beside it, so that the machine's drift cancels.
struct Observation {
  double value = 0;
  double standard_error = 0;  // of this value; 0: not known
  bool identical = false;     // not measured: the kernel is the very one that it is compared with, so the value is exact
};

struct ChangePointRule {
  // The chance that a series without a change shows one, where its correlation is known. As the correlation is estimated and there
  // are outliers, the chance is higher, but below 1 % of 60 runs (resources/docs/results/history.md has the counts).
  double alpha = 0.006;
  int least_before = 12;  // observations at the old level: fewer do not tell what it was
  int least_after = 3;    // observations at the new level: two outliers in a row are too frequent
  // A step followed by more observations than `recent` must be clearer, by `handicap` in units of -2 ln of the likelihood ratio.
  // Both values were chosen so that a step of two deviations is found soonest; in return a step of a single deviation is found
  // later.
  int recent = 6;
  double handicap = 6;
  int surrogates = 9999;
  std::uint64_t seed = 1;
};

struct ChangePoint {
  std::size_t at = 0;                    // the first observation at the new level
  std::size_t earliest = 0, latest = 0;  // the range of places with 95 % confidence (Siegmund, Biometrika 75, 1988)
  double change = 0;                     // change of the level: > 0 is slower
  Interval interval;                     // of the change, 95 %
  double p_value = 1;                    // chance of a step as clear anywhere in a series without one
};

// A stretch that a straight line describes better than one step: it has no single place of change.
struct Drift {
  std::size_t first = 0, last = 0;
  double change = 0;  // change of the level from its first to its last observation
};

struct ChangePoints {
  std::vector<ChangePoint> changes;  // in order
  std::vector<Drift> drifts;         // in order
  std::vector<double> levels;        // medians, one more than changes
  double deviation = 0;              // deviation of an observation from its level
  double autocorrelation = 0;        // correlation of neighbours' distances from their levels, as the test used it
};

// Judges a series stretch by stretch:
// 1. Values more than three deviations (median distance to the median) away are clipped to three: an outlier shifts no level. The
//    residuals of the best step are clipped again by their own deviation: beside a large step an outlier would stand far above the
//    noise.
// 2. Each value is weighted by 1/(T² + standard_error²), where T is the scatter between runs that the standard errors do not
//    explain: by 1/standard_error² alone a run that was measured long would outvote the others although runs differ by more than
//    that. An unknown standard error counts as the series' usual one. Identical runs scatter as the measured ones do
//    (identical_runs.h).
// 3. The best step is searched for. The correlation of neighbours is not known, so the series with that step and the series without
//    any each take the correlation that makes them likeliest (step_likelihood.h): the clearest step is the one with the largest
//    ratio of the two likelihoods. Other steps that are certain are removed first, so that they do not count as correlation.
// 4. The same is done rule.surrogates times with a series that has no step: the whitened residuals are shuffled and correlated
//    again as they would be without a step. p = (k+1)/(B+1), where k of B such series are as clear; the step counts where p <=
//    alpha.
// 5. Both sides of the step are examined in turn.
// Blocks of the series itself cannot be shuffled instead: a step of five observations lies in one block, and of the dozen places a
// block can have, two are as clear as the last. Seeded: the same series gives the same answer.
// Fails with kInvalidArgument for values that are not finite, for negative standard errors and for more than kMostObservations.
inline constexpr std::size_t kMostObservations = 5'000;
Result<ChangePoints> find_change_points(std::span<const Observation> series, const ChangePointRule& rule = {});

}  // namespace fuselab
