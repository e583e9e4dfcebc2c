// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <vector>

#include "core/changes/step_scan.h"

namespace fuselab {

// The evidence for a step of a series' level, compared with no step.
struct StepEvidence {
  double score = 0;                // -n ln(1 - share): twice the logarithm of the ratio, less the handicap of the place
  double correlation_without = 0;  // likeliest correlation of neighbours without a step
  double correlation_with = 0;     // likeliest correlation with a step at the clearest place
};

// Weighs a step against no step. The correlation of neighbours is not known, and sixty values hardly tell it (standard error 0.12).
// So each of the two explanations takes the correlation that suits it best, a priori normal (kUsualCorrelation,
// kCorrelationSpread), from 0 to kMostCorrelated. If both used the correlation that suits the step, a stretch that wandered would
// look like a step in noise that does not wander: of series correlated by 0.3 two and a half times as many would show one as of
// independent ones (resources/docs/results/history.md).
class StepLikelihood {
 public:
  // Like StepScan::best(), for values about 0 in units of their own noise. The score is 0 where no place is allowed.
  StepEvidence weigh(std::span<const double> values, std::span<const double> deviations, const StepPlaces& places);

 private:
  StepScan scan_;
  std::vector<double> least_;         // by place: the sum of squares that its best correlation leaves
  std::vector<double> correlations_;  // by place: that correlation
};

// The usual correlation of benchmark runs and its spread, found by simulation, so that steps are found as often as possible and
// false alarms do not depend on the correlation.
inline constexpr double kUsualCorrelation = 0.2;
inline constexpr double kCorrelationSpread = 0.2;
// The largest correlation considered. Negative ones are not, since runs do not reliably keep them.
inline constexpr double kMostCorrelated = 0.8;

}  // namespace fuselab
