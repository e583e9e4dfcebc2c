// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "app/gate/selftest/selftest.h"
#include "core/stats/error_rate.h"

namespace fuselab::engine {

// Statistics of the comparisons at one slowdown.
struct SelftestRates {
  double slowdown = 0;
  // The share of unconfirmed verdicts of regressed or improved among the verdicts given. With a slowdown: of regressed among all
  // comparisons, because a comparison without a verdict found nothing.
  ErrorRate alarmed;
  ErrorRate confirmed;  // the same after confirmation
  int equivalent = 0, inconclusive = 0;
  int failed = 0;                 // no verdict: an unfit machine, a crash
  double minimum_detectable = 0;  // median over the comparisons that have one; 0: none has
  double within_deviation = 0;    // within one pair of rounds, median
  double between_deviation = 0;   // between processes, median
  double kernel_seconds = 0;      // kernel time until the verdict, median
  double wall_seconds = 0;        // wall time likewise
};
// Returns one per slowdown, identical sides first, for one kernel or, when `kernel` is empty, for all.
std::vector<SelftestRates> rates_of(const std::vector<SelftestTrial>& trials, const std::string& kernel = {});

}  // namespace fuselab::engine
