// SPDX-License-Identifier: Apache-2.0
#include "core/select/gain_verdict.h"

#include <gtest/gtest.h>

#include <limits>

namespace fuselab {
namespace {

TEST(GainVerdict, FollowsTheInterval) {
  EXPECT_EQ(verdict_on({1.2, {1.1, 1.3}}), GainVerdict::kGains);
  EXPECT_EQ(verdict_on({0.8, {0.7, 0.9}}), GainVerdict::kLoses);
  EXPECT_EQ(verdict_on({1.0, {0.995, 1.009}}), GainVerdict::kSame);
  EXPECT_EQ(verdict_on({1.0, {0.98, 1.009}}), GainVerdict::kUndecided) << "two percent matter";
  EXPECT_EQ(verdict_on({1.0, {0.5, 2}}), GainVerdict::kUndecided);
}

TEST(GainVerdict, TheChanceIsThatOfTheIntervalsOwnDistribution) {
  // An interval of 99 % that ends at 1 leaves half a percent beyond it; one of 95 % two and a half.
  EXPECT_NEAR(chance_of_gain({2, {1, 4}}, 5), 0.995, 1e-4);
  EXPECT_NEAR(chance_of_gain({2, {1, 4}}, 1), 0.975, 1e-4);
  EXPECT_NEAR(chance_of_gain({0.5, {0.25, 1}}, 5), 0.005, 1e-4);
  EXPECT_EQ(chance_of_gain({1, {0.5, 2}}, 5), 0.5);
  EXPECT_EQ(chance_of_gain({1.5, {0, std::numeric_limits<double>::infinity()}}, 5), 0.5) << "nothing is known";
  EXPECT_EQ(chance_of_gain({1, {1, 1}}, 5), 0.5);
}

TEST(GainVerdict, SaysHowSureItIsOnlyWhereItIsNot) {
  EXPECT_EQ(gain_words({1.2, {1.1, 1.3}}, 5), "fusing gains");
  EXPECT_EQ(gain_words({0.8, {0.7, 0.9}}, 5), "fusing loses");
  EXPECT_EQ(gain_words({1.0, {0.995, 1.009}}, 5), "fused and unfused are the same within 1 %");
  EXPECT_EQ(gain_words({1.1, {0.9, 1.3443}}, 1), "undecided, 82 % sure that fusing gains");
}

TEST(GainVerdict, SaysWhatDecidingWouldTake) {
  EXPECT_EQ(deciding_words({1.2, {1.1, 1.3}}, 5), "");
  EXPECT_EQ(deciding_words({1.1, {0.9, 1.3443}}, 1), "deciding takes at least 5 more processes (--decide)");
  EXPECT_EQ(deciding_words({1.1, {0.9, 1.3443}}, 5), "deciding takes about 18 more processes (--decide)");
  EXPECT_EQ(deciding_words({1, {0.99, 1.0101}}, 7), "deciding takes about 1 more process (--decide)");
  EXPECT_EQ(deciding_words({1, {0.5, 2}}, 12), "deciding takes more than 1000 more processes (--decide)");
}

TEST(GainVerdict, DecidingTakesProcessesWithTheSquareOfTheWidth) {
  EXPECT_EQ(processes_to_decide({2, {0.5, 8}}, 5), 15) << "half as wide with four times as many";
  EXPECT_EQ(processes_to_decide({2, {1.5, 3}}, 5), 0);
  EXPECT_EQ(processes_to_decide({1, {0.99, 1.0101}}, 7), 1) << "it is the same within 1 % but for a hair";
  EXPECT_EQ(processes_to_decide({1, {0, std::numeric_limits<double>::infinity()}}, 7), kMostToDecide);
}

}  // namespace
}  // namespace fuselab
