// SPDX-License-Identifier: Apache-2.0
// Own formulas against numbers that others printed.
#include <gtest/gtest.h>

#include <cmath>

#include "core/changes/likelihood_interval.h"
#include "core/stats/error_rate.h"
#include "core/stats/sampling_effort.h"

namespace fuselab {
namespace {

// Hansen, "Sample splitting and threshold estimation", Econometrica 68 (2000), table I.
TEST(PublishedValues, CriticalLikelihoodRatios) {
  struct Printed {
    double confidence, value;
  };
  constexpr Printed kTable[] = {{0.80, 4.50}, {0.85, 5.10},  {0.90, 5.94}, {0.925, 6.53},
                                {0.95, 7.35}, {0.975, 8.75}, {0.99, 10.59}};
  for (const auto& [confidence, value] : kTable) EXPECT_NEAR(critical_likelihood_ratio(confidence), value, 0.0051) << confidence;
}

// Two-stage samples whose variances within and between units, costs and optimum stand in the output of R's package PracTools
// (Valliant, Dever and Kreuter, Practical Tools for Designing and Weighting Survey Samples: clusOpt2), which rounds to 0.1.
TEST(PublishedValues, SamplesPerProcess) {
  EXPECT_NEAR(best_samples_per_process(130, 0.79538674, 0.04075893), 50.4, 0.051);
  EXPECT_TRUE(std::isinf(best_samples_per_process(20, 1, 0)));
}

// That it is the least, whatever was printed: one sample more or less is no better.
TEST(PublishedValues, SamplesPerProcessAreTheBest) {
  for (const double cost : {2.0, 10.0, 300.0}) {
    for (const double within : {0.1, 1.0, 30.0}) {
      const auto variance_per_cost = [&](double samples) { return (1 + within / samples) * (cost + samples); };
      const double best = best_samples_per_process(cost, within, 1);
      EXPECT_LT(variance_per_cost(best), variance_per_cost(1.05 * best));
      EXPECT_LT(variance_per_cost(best), variance_per_cost(0.95 * best));
    }
  }
}

// The rule of three: 0 of n is at most 1 - 0.05^(1/n), which textbooks print as 3/n; all of 59 is at least 95 % (Wilks, 1941).
TEST(PublishedValues, ShareBounds) {
  EXPECT_NEAR((ErrorRate{0, 1000}.upper_bound()), 1 - std::pow(0.05, 1e-3), 1e-9);
  EXPECT_LT((ErrorRate{58, 58}.lower_bound()), 0.95);
  EXPECT_GE((ErrorRate{59, 59}.lower_bound()), 0.95);
  EXPECT_EQ((ErrorRate{7, 3}.lower_bound()), 0) << "a stranger's file";
  EXPECT_EQ((ErrorRate{-1, 3}.upper_bound()), 1);
}

}  // namespace
}  // namespace fuselab
