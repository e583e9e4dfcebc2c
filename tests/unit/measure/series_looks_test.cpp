// SPDX-License-Identifier: Apache-2.0
#include "core/measure/loop/series_looks.h"

#include <gtest/gtest.h>

#include <numeric>

#include "core/base/random.h"

namespace fuselab {
namespace {

std::vector<double> counted_to(int n) {
  std::vector<double> values(static_cast<std::size_t>(n));
  std::iota(values.begin(), values.end(), 1.0);
  return values;
}

TEST(SeriesLooks, DoubleFromFifteenToAHundredAndTwenty) {
  const Protocol protocol;
  EXPECT_EQ(next_look(15, protocol), 30);
  EXPECT_EQ(next_look(30, protocol), 60);
  EXPECT_EQ(next_look(60, protocol), 120);
  EXPECT_EQ(next_look(120, protocol), 120);
}

TEST(SeriesLooks, AreNoneForShortSeriesForColdOnesNorBeyondWhatMayBeAsked) {
  Protocol protocol;
  EXPECT_EQ(next_look(7, protocol), 7) << "a search's candidates";
  protocol.most_samples = 0;
  EXPECT_EQ(next_look(15, protocol), 15) << "the gate says how many";
  protocol = {};
  protocol.mode = CacheMode::kCold;
  EXPECT_EQ(next_look(15, protocol), 15);
}

// Of fifteen the 4th to the 12th, which hold the median with 96.5 %; of a hundred and twenty the 44th to the 77th hold it with
// 99.6 % (binomial tails of 1/2: 0.0176 and 0.0012 a side).
TEST(SeriesLooks, LaterOnesLeaveLessToChance) {
  const Summary first = summarize_series(counted_to(15));
  EXPECT_DOUBLE_EQ(first.interval.low, 4);
  EXPECT_DOUBLE_EQ(first.interval.high, 12);
  const Summary last = summarize_series(counted_to(120));
  EXPECT_LT(last.interval.low, summarize(counted_to(120)).interval.low);
  EXPECT_DOUBLE_EQ(last.interval.low + last.interval.high, 121) << "the same on both sides";
}

TEST(SeriesLooks, PrecisionIsHalfTheIntervalOverTheMedian) {
  std::vector<double> samples(15, 100.0);
  EXPECT_TRUE(is_precise(samples, 0));
  for (std::size_t i = 0; i < 5; ++i) samples[i] = 98;
  EXPECT_TRUE(is_precise(samples, 0.01)) << "98 to 100";
  EXPECT_FALSE(is_precise(samples, 0.009));
}

// Stopped at the first look that seems precise enough, whose luck a plain interval would take for knowledge.
TEST(SeriesLooks, HoldTheMedianWhicheverIsTheLast) {
  SeededRandom random(20'26);
  const Protocol protocol;
  constexpr int kTrials = 4'000;
  int missed = 0, went_on = 0;
  for (int trial = 0; trial < kTrials; ++trial) {
    std::vector<double> samples;
    int wanted = kFirstLook;
    while (static_cast<int>(samples.size()) < wanted) {
      while (static_cast<int>(samples.size()) < wanted) samples.push_back(1 + 0.06 * (random.unit() - 0.5));
      if (!is_precise(samples, protocol.precision)) wanted = next_look(wanted, protocol);
    }
    went_on += wanted > kFirstLook ? 1 : 0;
    const Summary summary = summarize_series(samples);
    missed += summary.interval.low > 1 || summary.interval.high < 1 ? 1 : 0;
  }
  EXPECT_GT(went_on, kTrials / 2);
  EXPECT_LE(missed, kTrials * 6 / 100) << "5 %, and what 4,000 trials scatter";
}

}  // namespace
}  // namespace fuselab
