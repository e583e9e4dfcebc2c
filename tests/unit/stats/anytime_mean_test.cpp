// SPDX-License-Identifier: Apache-2.0
#include "core/stats/anytime_mean.h"

#include <gtest/gtest.h>

#include <boost/math/distributions/non_central_t.hpp>
#include <boost/math/distributions/normal.hpp>
#include <boost/math/distributions/students_t.hpp>
#include <cmath>
#include <numbers>
#include <vector>

#include "core/base/random.h"

namespace fuselab {
namespace {

AnytimeMean of(const std::vector<double>& observations) {
  AnytimeMean mean;
  for (const double observation : observations) mean.add(observation);
  return mean;
}

double normal(SeededRandom& random) {
  return std::sqrt(-2 * std::log(1 - random.unit())) * std::cos(2 * std::numbers::pi * random.unit());
}

// The Bayes factor as it is defined: how much more likely t is when the standardised effect is drawn from its prior, N(0,
// 1/precision), than when it is zero; the library's non-central t, integrated by the trapezoidal rule.
double evidence_by_integration(double t, double n) {
  const boost::math::normal prior(0, 1 / std::sqrt(AnytimeMean::kPrecision));
  double sum = 0;
  const double step = 0.005;
  for (double effect = -15; effect <= 15; effect += step) {
    const boost::math::non_central_t shifted(n - 1, effect * std::sqrt(n));
    sum += step * boost::math::pdf(prior, effect) * boost::math::pdf(shifted, t);
  }
  return sum / boost::math::pdf(boost::math::students_t(n - 1), t);
}

TEST(AnytimeMean, EvidenceIsTheBayesFactorOfTheNonCentralT) {
  const AnytimeMean mean = of({0.3, 1.1, -0.4, 0.9, 0.7, 1.6, 0.2});
  for (const double against : {0.0, 0.5, -0.6}) {
    const double t = (mean.mean() - against) / (mean.deviation() / std::sqrt(7.0));
    EXPECT_NEAR(std::exp(mean.log_evidence_against(against)) / evidence_by_integration(t, 7), 1, 1e-3) << against;
  }
}

TEST(AnytimeMean, IntervalEndsWhereTheEvidenceReachesOneOverAlpha) {
  const AnytimeMean mean = of({0.3, 1.1, -0.4, 0.9, 0.7, 1.6, 0.2, 0.8});
  for (const double alpha : {0.05, 0.01}) {
    const Interval interval = mean.interval(alpha);
    EXPECT_NEAR(mean.log_evidence_against(interval.low), -std::log(alpha), 1e-9);
    EXPECT_NEAR(mean.log_evidence_against(interval.high), -std::log(alpha), 1e-9);
  }
}

TEST(AnytimeMean, SaysNothingOfTooFewObservations) {
  EXPECT_TRUE(std::isinf(of({}).half_width(0.01)));
  EXPECT_TRUE(std::isinf(of({1}).half_width(0.01)));
  EXPECT_TRUE(std::isinf(of({1, 1, 1}).half_width(0.01)));
  EXPECT_EQ(of({1}).log_evidence_against(0), 0);
}

TEST(AnytimeMean, EqualObservationsLeaveNoDoubtOnceThereAreEnough) {
  const AnytimeMean mean = of({2, 2, 2, 2, 2, 2, 2, 2});
  EXPECT_EQ(mean.half_width(0.01), 0);
  EXPECT_GT(mean.log_evidence_against(1), std::log(100));
  EXPECT_LT(mean.log_evidence_against(2), 0);
}

// What "anytime" promises: of many series watched after every observation, at most alpha ever exclude the truth.
TEST(AnytimeMean, IntervalsThatAreWatchedMissTheMeanAtMostAsOftenAsPromised) {
  SeededRandom random(20261122);
  int missed = 0;
  constexpr int kSeries = 2000;
  for (int series = 0; series < kSeries; ++series) {
    AnytimeMean mean;
    bool ever = false;
    for (int i = 0; i < 100; ++i) {
      mean.add(3 + normal(random));
      const Interval interval = mean.interval(0.05);
      ever = ever || interval.low > 3 || interval.high < 3;
    }
    missed += ever ? 1 : 0;
  }
  EXPECT_LE(missed, kSeries * 5 / 100);
  EXPECT_GE(missed, kSeries / 100);  // and they are not so wide that nothing could ever be decided
}

}  // namespace
}  // namespace fuselab
