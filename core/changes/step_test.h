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

// The clearest step of one stretch and how often a series without any shows one as clear (change_points.h has the rule).
struct TestedStep {
  Step step;
  double autocorrelation = 0;  // of neighbours about the step
  double line_share = 0;       // what a straight line explains, as Step::share
  double p_value = 1;          // exact where it is at most alpha
  std::vector<double> shares;  // of every place, for its interval
};

// Tests stretch after stretch; surrogates of one stretch do not depend on those tested before. One thread.
class StepTest {
 public:
  explicit StepTest(const ChangePointRule& rule);
  // Of at least least_before + least_after values; deviations up to a common factor.
  TestedStep test(std::span<const double> values, std::span<const double> deviations);

 private:
  // What both the series and its surrogates go through.
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
