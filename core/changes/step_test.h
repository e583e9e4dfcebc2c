// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/base/random.h"
#include "core/changes/change_points.h"
#include "core/changes/step_likelihood.h"
#include "core/changes/step_scan.h"

namespace fuselab {

// The clearest step of one stretch and how often a series without a step shows one as clear (change_points.h has the rule).
struct TestedStep {
  Step step;
  double autocorrelation = 0;  // correlation of neighbours about the step
  double line_share = 0;       // share that a straight line explains, as Step::share
  double p_value = 1;          // exact where it is at most alpha
  std::vector<double> shares;  // by place, for the interval of the step
};

// Tests one stretch after the other; the surrogates of a stretch do not depend on those tested before. Used by one thread.
class StepTest {
 public:
  explicit StepTest(const ChangePointRule& rule);
  // Takes at least least_before + least_after values; deviations are given up to a common factor.
  TestedStep test(std::span<const double> values, std::span<const double> deviations);

 private:
  // Returns the evidence for the clearest step, computed alike for the series and its surrogates.
  StepEvidence clearest(std::span<const double> values, std::span<const double> deviations);
  void subtract_levels(std::size_t first, std::size_t end, std::span<const double> deviations);
  void clip_residual();
  void leave_only_the_step(std::size_t at, std::span<const double> deviations);
  void split_off_noise(double correlation);
  void next_surrogate(SeededRandom& random, std::span<const double> deviations, double correlation);

  ChangePointRule rule_;
  StepPlaces places_;
  StepScan scan_, level_scan_;
  StepLikelihood likelihood_;
  std::vector<double> standard_, residual_, single_, work_, noise_, surrogate_;
};

}  // namespace fuselab
