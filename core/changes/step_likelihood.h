// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <vector>

#include "core/changes/step_scan.h"

namespace fuselab {

// How much likelier a series is with a step of its level than without any.
struct StepEvidence {
  double score = 0;                // -n ln(1 - score): twice the logarithm of the ratio, less the handicap of the place
  double correlation_without = 0;  // of neighbours: the likeliest where there is no step
  double correlation_with = 0;     // and where there is one, at the clearest place
};

// Nobody knows how neighbours are correlated, and sixty values hardly tell (standard error 0.12). So each of the two explanations
// takes the correlation that suits it best, a priori normal (kUsualCorrelation, kCorrelationSpread), from 0 to kMostCorrelated.
// With the one that suits the step given to both, a stretch that wandered looks like a step in noise that does not wander: of
// series correlated by 0.3 two and a half times as many show one as of independent ones (resources/docs/history.md).
class StepLikelihood {
 public:
  // As StepScan::best(): of values about 0 in units of their own noise. Score 0 where no place is allowed.
  StepEvidence weigh(std::span<const double> values, std::span<const double> deviations, const StepPlaces& places);

 private:
  StepScan scan_;
  std::vector<double> least_;         // of every place, the sum of squares that its best correlation leaves
  std::vector<double> correlations_;  // that correlation
};

// What runs of benchmarks are usually like, and how surely: found by simulation, so that steps are found as often as can be and
// false alarms do not depend on the correlation.
inline constexpr double kUsualCorrelation = 0.2;
inline constexpr double kCorrelationSpread = 0.2;
// A negative one would promise more than runs keep.
inline constexpr double kMostCorrelated = 0.8;

}  // namespace fuselab
