// SPDX-License-Identifier: Apache-2.0
#include "core/stats/statistics.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>

#include "core/base/random.h"

namespace fuselab {
namespace {

std::vector<double> one_to(int n) {
  std::vector<double> values(static_cast<std::size_t>(n));
  std::iota(values.begin(), values.end(), 1.0);
  return values;
}

TEST(Summary, DescribesOneToNine) {
  const Summary s = summarize(one_to(9));
  EXPECT_EQ(s.count, 9);
  EXPECT_DOUBLE_EQ(s.median, 5);
  EXPECT_DOUBLE_EQ(s.mean, 5);
  EXPECT_DOUBLE_EQ(s.minimum, 1);
  EXPECT_DOUBLE_EQ(s.maximum, 9);
  EXPECT_DOUBLE_EQ(s.standard_deviation, std::sqrt(7.5));
  EXPECT_DOUBLE_EQ(s.p90, 8.2);
  EXPECT_DOUBLE_EQ(s.p95, 8.6);
}

TEST(Summary, OrderOfSamplesDoesNotMatter) {
  const std::vector<double> mixed = {3, 1, 2, 6, 5, 4};
  EXPECT_DOUBLE_EQ(summarize(mixed).median, 3.5);
  EXPECT_DOUBLE_EQ(summarize(mixed).interval.low, 1);
}

// Ranks of the 95 % interval for a median, as tabulated for the sign test (Conover, Practical Nonparametric Statistics;
// also Hahn and Meeker, Statistical Intervals): n = 6 → 1..6, 9 → 2..8, 15 → 4..12, 20 → 6..15, 25 → 8..18, 100 → 40..61.
TEST(Summary, IntervalOfTheMedianHasThePublishedRanks) {
  struct Published {
    int n, low, high;
  };
  for (const Published p : {Published{6, 1, 6}, {9, 2, 8}, {15, 4, 12}, {20, 6, 15}, {25, 8, 18}, {100, 40, 61}}) {
    const Interval interval = summarize(one_to(p.n)).interval;
    EXPECT_DOUBLE_EQ(interval.low, p.low) << p.n;
    EXPECT_DOUBLE_EQ(interval.high, p.high) << p.n;
  }
}

TEST(Summary, FewSamplesGiveTheirRange) {
  const Interval interval = summarize(one_to(5)).interval;
  EXPECT_DOUBLE_EQ(interval.low, 1);
  EXPECT_DOUBLE_EQ(interval.high, 5);
  EXPECT_EQ(summarize({}).count, 0);
  EXPECT_DOUBLE_EQ(summarize(one_to(1)).median, 1);
}

TEST(Summary, ManySamplesDoNotUnderflowTheBinomial) {
  const Interval interval = summarize(one_to(20001)).interval;
  // The normal approximation: n/2 ± 1.96·sqrt(n)/2.
  EXPECT_NEAR(interval.low, 10000.5 - 0.98 * std::sqrt(20001.0), 2);
  EXPECT_NEAR(interval.high, 10001.5 + 0.98 * std::sqrt(20001.0), 2);
}

// Skewed like timings: a floor and an exponential tail. Its median is known.
double timing(SeededRandom& random, double floor) {
  return floor - std::log(1 - random.unit());
}

TEST(Summary, IntervalCoversTheTrueMedianAsOftenAsItSays) {
  SeededRandom random(11);
  int covered = 0;
  constexpr int kRounds = 2000;
  for (int round = 0; round < kRounds; ++round) {
    std::vector<double> samples;
    for (int i = 0; i < 15; ++i) samples.push_back(timing(random, 10));
    const Interval interval = summarize(samples).interval;
    const double truth = 10 + std::log(2.0);
    covered += interval.low <= truth && truth <= interval.high ? 1 : 0;
  }
  EXPECT_GE(covered, 0.95 * kRounds);  // the exact coverage for 15 samples is 96.5 %
  EXPECT_LE(covered, 0.98 * kRounds);
}

TEST(Ratio, OfASeriesAndItsDoubleIsTwo) {
  const std::vector<double> b = one_to(15);
  std::vector<double> a;
  for (const double value : b) a.push_back(2 * value);
  const Ratio paired = ratio_of(a, b, true);
  EXPECT_DOUBLE_EQ(paired.value, 2);
  EXPECT_DOUBLE_EQ(paired.interval.low, 2);
  EXPECT_DOUBLE_EQ(paired.interval.high, 2);
  EXPECT_TRUE(paired.excludes_one());
  const Ratio independent = ratio_of(a, b, false);
  EXPECT_LT(independent.interval.low, 2);
  EXPECT_GT(independent.interval.high, 2);
}

TEST(Ratio, SameSamplesGiveTheSameInterval) {
  SeededRandom random(3);
  std::vector<double> a, b;
  for (int i = 0; i < 15; ++i) a.push_back(timing(random, 5)), b.push_back(timing(random, 5));
  const Ratio first = ratio_of(a, b, true), second = ratio_of(a, b, true);
  EXPECT_EQ(first.interval.low, second.interval.low);
  EXPECT_EQ(first.interval.high, second.interval.high);
}

TEST(Ratio, IntervalCoversTheTrueRatioMostOfTheTime) {
  SeededRandom random(7);
  int covered = 0;
  constexpr int kRounds = 200;
  for (int round = 0; round < kRounds; ++round) {
    std::vector<double> a, b;
    for (int i = 0; i < 15; ++i) {
      const double drift = 1 + 0.2 * random.unit();  // shared by the pair, as in an interleaved block
      a.push_back(1.5 * drift * timing(random, 10));
      b.push_back(drift * timing(random, 10));
    }
    const Interval interval = ratio_of(a, b, true).interval;
    covered += interval.low <= 1.5 && 1.5 <= interval.high ? 1 : 0;
  }
  EXPECT_GE(covered, 0.90 * kRounds);
}

TEST(Ratio, FewSamplesGiveTheExtremes) {
  const std::vector<double> a = {4, 6}, b = {2, 3};
  const Ratio ratio = ratio_of(a, b, true);
  EXPECT_DOUBLE_EQ(ratio.interval.low, 4.0 / 3);
  EXPECT_DOUBLE_EQ(ratio.interval.high, 3);
  EXPECT_DOUBLE_EQ(ratio_of({}, b, true).value, 1);
}

}  // namespace
}  // namespace fuselab
