// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "app/gate/selftest/selftest.h"
#include "core/stats/error_rate.h"

namespace fuselab::engine {

// What the comparisons at one slowdown came to.
struct SelftestRates {
  double slowdown = 0;
  // Unconfirmed verdicts of regressed or improved, of those that were given; with a slowdown: regressed, of all comparisons,
  // because what was not judged found nothing.
  ErrorRate alarmed;
  ErrorRate confirmed;  // the same after confirmation
  int equivalent = 0, inconclusive = 0;
  int failed = 0;                 // no verdict: an unfit machine, a crash
  double minimum_detectable = 0;  // median over those that have one; 0: none has
  double within_deviation = 0;    // of one pair of rounds, median
  double between_deviation = 0;   // of processes, median
  double kernel_seconds = 0;      // median of kernel time until the verdict
  double wall_seconds = 0;        // the same, of the clock on the wall
};
// One per slowdown, identical sides first; of one kernel, or of all when empty.
std::vector<SelftestRates> rates_of(const std::vector<SelftestTrial>& trials, const std::string& kernel = {});

}  // namespace fuselab::engine
