// SPDX-License-Identifier: Apache-2.0
#include "core/stats/process_effect.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace fuselab {
namespace {

TEST(ProcessEffect, IsTheMedianOverPairsOfRounds) {
  const PairedSamples samples{{100, 100, 100, 100, 100, 100}, {110, 110, 120, 120, 130, 130}};
  const ProcessEffect effect = effect_of(samples).value();
  EXPECT_DOUBLE_EQ(effect.log_ratio, std::log(1.2));
  EXPECT_EQ(effect.pairs, 3);
  EXPECT_GT(effect.variance(), 0);
}

TEST(ProcessEffect, WhoeverComesFirstInARoundDoesNotMatter) {
  // The first of each round is 5 % slower; the order turns from round to round.
  const PairedSamples samples{{105, 100, 105, 100, 105, 100}, {100, 105, 100, 105, 100, 105}};
  EXPECT_NEAR(effect_of(samples).value().log_ratio, 0, 1e-12);
}

TEST(ProcessEffect, AStalledSampleMovesNothing) {
  PairedSamples samples{std::vector<double>(20, 100.0), std::vector<double>(20, 102.0)};
  samples.candidate[7] = 5000;
  EXPECT_DOUBLE_EQ(effect_of(samples).value().log_ratio, std::log(1.02));
}

TEST(ProcessEffect, DriftThatBothSidesShareCancels) {
  PairedSamples samples;
  for (int round = 0; round < 20; ++round) {
    samples.baseline.push_back(100.0 * (1 + 0.05 * round));
    samples.candidate.push_back(101.0 * (1 + 0.05 * round));
  }
  EXPECT_NEAR(effect_of(samples).value().log_ratio, std::log(1.01), 1e-12);
}

TEST(ProcessEffect, RefusesWhatNoClockGives) {
  const auto reason = [](double sample) {
    PairedSamples samples{std::vector<double>(8, 100.0), std::vector<double>(8, 100.0)};
    samples.candidate[3] = sample;
    const auto effect = effect_of(samples);
    return effect.ok() ? std::string() : effect.error().message;
  };
  EXPECT_EQ(reason(std::numeric_limits<double>::quiet_NaN()), "sample 3 is nan ns, which no clock gives");
  EXPECT_EQ(reason(-1), "sample 3 is -1.000000 ns, which no clock gives");
  EXPECT_EQ(reason(0), "sample 3 is 0.000000 ns, which no clock gives");
  EXPECT_EQ(reason(std::numeric_limits<double>::infinity()), "sample 3 is inf ns, which no clock gives");
}

TEST(ProcessEffect, RefusesSidesOfDifferentLengthsAndTooFewSamples) {
  EXPECT_EQ(effect_of({std::vector<double>(8, 1.0), std::vector<double>(7, 1.0)}).error().message,
            "the baseline has 8 samples, the candidate 7");
  EXPECT_EQ(effect_of({std::vector<double>(3, 1.0), std::vector<double>(3, 1.0)}).error().message,
            "3 samples a side are too few to compare");
}

}  // namespace
}  // namespace fuselab
