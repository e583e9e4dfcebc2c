// SPDX-License-Identifier: Apache-2.0
#include "core/stats/comparison.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "core/stats/error_rate.h"
#include "core/stats/noise_model.h"

namespace fuselab {
namespace {

const NoiseModel& model(std::string_view name) {
  for (const NoiseModel& known : noise_models()) {
    if (known.name == name) return known;
  }
  ADD_FAILURE() << "no model " << name;
  return noise_models().front();
}

ComparisonResult run(const NoiseModel& noise, double slowdown, std::uint64_t seed, const ComparisonRule& rule = {}) {
  Comparison comparison(rule);
  NoiseSource source(noise, seed);
  while (const auto rounds = comparison.next_rounds()) {
    EXPECT_TRUE(comparison.tell(source.next_process(*rounds, slowdown), {1e6 * *rounds}).ok());
  }
  return comparison.result();
}

struct Verdicts {
  ErrorRate regressed, improved, equivalent, inconclusive;
};
Verdicts count(const NoiseModel& noise, double slowdown, int trials, const ComparisonRule& rule = {}) {
  Verdicts verdicts;
  for (int trial = 0; trial < trials; ++trial) {
    const Verdict verdict = run(noise, slowdown, 7919ULL * static_cast<std::uint64_t>(trial) + 1, rule).verdict;
    verdicts.regressed.events += verdict == Verdict::kRegressed ? 1 : 0;
    verdicts.improved.events += verdict == Verdict::kImproved ? 1 : 0;
    verdicts.equivalent.events += verdict == Verdict::kEquivalent ? 1 : 0;
    verdicts.inconclusive.events += verdict == Verdict::kInconclusive ? 1 : 0;
  }
  return verdicts;
}

TEST(VerdictNames, ReadBack) {
  for (const Verdict verdict :
       {Verdict::kSame, Verdict::kRegressed, Verdict::kImproved, Verdict::kEquivalent, Verdict::kInconclusive}) {
    EXPECT_EQ(parse_verdict(name_of(verdict)).value(), verdict);
  }
  EXPECT_EQ(parse_verdict("worse").error().message, "no verdict is called 'worse'");
}

TEST(Comparison, FivePercentIsSeenInTheFirstFiveProcesses) {
  const ComparisonResult result = run(model("M1"), 0.05, 3);
  EXPECT_EQ(result.verdict, Verdict::kRegressed);
  EXPECT_EQ(result.processes, 5);
  EXPECT_EQ(result.pairs, 50);
  EXPECT_NEAR(result.ratio, 1.05, 0.005);
  EXPECT_GT(result.interval.low, 1.01);
  EXPECT_LT(result.p_regressed, 0.01);
  EXPECT_EQ(result.p_improved, 1);
}

// After one process of twenty rounds, the other four need only tell that it was not that process alone.
TEST(Comparison, TwiceAsLongIsSeenInFewRounds) {
  for (const double slowdown : {1.0, -0.5}) {
    const ComparisonResult result = run(model("M2"), slowdown, 3);
    EXPECT_EQ(result.verdict, slowdown > 0 ? Verdict::kRegressed : Verdict::kImproved);
    EXPECT_EQ(result.processes, 5);
    EXPECT_EQ(result.pairs, 10 + 4 * 3);
  }
}

// A kernel at the margin is never decided. Its processes grow longer rather than leave budget.
TEST(Comparison, ProcessesGrowWhereTheyEndBeforeTheBudget) {
  ComparisonRule rule;
  rule.budget = {3e9};  // 37 pairs of 2 ms in each of 40 processes
  const ComparisonResult result = run(model("M1"), rule.margin, 3, rule);
  EXPECT_EQ(result.verdict, Verdict::kInconclusive);
  EXPECT_LE(result.processes, rule.most_processes);
  EXPECT_GE(result.spent.count, 0.95 * rule.budget.count);
  EXPECT_LE(result.spent.count, 1.05 * rule.budget.count);
}

TEST(Comparison, FasterIsImproved) {
  const ComparisonResult result = run(model("M2"), -0.05, 3);
  EXPECT_EQ(result.verdict, Verdict::kImproved);
  EXPECT_LT(result.p_improved, 0.01);
  EXPECT_EQ(result.p_regressed, 1);
}

// The three models of noise with identical sides: no false alarm in 400 trials each, and a verdict instead of a shrug.
TEST(Comparison, IdenticalSidesAreEquivalent) {
  for (const NoiseModel& noise : noise_models()) {
    const Verdicts verdicts = count(noise, 0, 400);
    EXPECT_EQ(verdicts.regressed.events + verdicts.improved.events, 0) << noise.name;
    EXPECT_GE(verdicts.equivalent.events, 380) << noise.name;
  }
}

TEST(Comparison, TwoPercentIsFoundOnTheNoisiestModel) {
  EXPECT_GE(count(model("M3"), 0.02, 400).regressed.events, 380);
}

// A change of exactly the margin is the hardest that must not be called a regression: at most alpha of the time.
TEST(Comparison, ChangeOfTheMarginIsARegressionAtMostAsOftenAsPromised) {
  const Verdicts verdicts = count(model("M2"), 0.01, 1000);
  EXPECT_LE(verdicts.regressed.events, 10);
  EXPECT_EQ(verdicts.improved.events, 0);
}

TEST(Comparison, EffortGoesWhereTheVarianceIs) {
  NoiseModel within = model("M1");
  within.tail_share = 0;
  NoiseModel between = within;
  between.process = 0.02;
  ComparisonRule rule;
  rule.margin = 0.0001;  // undecided for long
  const auto rounds_after = [&](const NoiseModel& noise) {
    Comparison comparison(rule);
    NoiseSource source(noise, 11);
    for (int process = 0; process < 12; ++process) EXPECT_TRUE(comparison.tell(source.next_process(20, 0.001), {1}).ok());
    return comparison.next_rounds().value_or(0);
  };
  EXPECT_GE(rounds_after(within), 20);
  EXPECT_EQ(rounds_after(between), 6);
}

TEST(Comparison, EndsWithItsBudgetAndSaysWhatItCouldHaveSeen) {
  ComparisonRule rule;
  rule.budget = {160e6};
  const ComparisonResult result = run(model("M3"), 0.012, 5, rule);
  EXPECT_EQ(result.verdict, Verdict::kInconclusive);
  EXPECT_GE(result.spent.count, 160e6);
  EXPECT_GT(result.minimum_detectable, rule.margin);
  EXPECT_LT(result.minimum_detectable, 0.2);
}

// What ten processes say they would have seen is seen by ten others about 19 times in 20; the scatter it follows from is itself
// estimated.
TEST(Comparison, SharesOfTheVarianceAddUp) {
  const auto shares = variance_shares(run(noise_models().front(), 0, 3));
  ASSERT_TRUE(shares);
  EXPECT_NEAR(shares->within_block + shares->between_blocks + shares->between_processes, 1, 1e-12);
  ComparisonResult told;
  told.processes = 10;
  told.pairs = 100;
  told.within_deviation = 0;
  told.between_deviation = 0.01;
  told.block_deviation = 0.01;
  EXPECT_NEAR(variance_shares(told)->between_blocks, 0.5, 1e-12) << "the mean of two halves has half their variance";
  EXPECT_NEAR(variance_shares(told)->between_processes, 0.5, 1e-12);
  EXPECT_FALSE(variance_shares(ComparisonResult()));
}

// Every process jumps half-way, and in the mean not at all.
TEST(Comparison, AJumpInsideOfProcessesIsBetweenTheirBlocks) {
  Comparison comparison(ComparisonRule{});
  for (int process = 0; process < 5; ++process) {
    PairedSamples samples;
    for (int round = 0; round < 40; ++round) {
      const double jump = ((round < 20) == (process % 2 == 0)) ? 1.03 : 0.97;
      samples.baseline.push_back(100);
      samples.candidate.push_back(100 * jump * (1 + 0.001 * (round / 2 % 3 - 1)));
    }
    ASSERT_TRUE(comparison.tell(samples, {1e6}).ok());
  }
  const ComparisonResult result = comparison.result();
  EXPECT_NEAR(result.block_deviation, std::log(1.03 / 0.97) / std::sqrt(2), 0.02);
}

// What is said beforehand is about what such comparisons say afterwards.
TEST(Comparison, ExpectsWhatItWillBeAbleToSee) {
  const NoiseModel& noise = noise_models().front();
  ComparisonRule pilot, whole;
  pilot.most_processes = pilot.least_processes;
  whole.margin = pilot.margin = 1e-6;  // so that each comparison spends its whole budget
  whole.budget = {4e8};
  const double expected = expected_detectable(whole, run(noise, 0, 5, pilot));
  const double seen = run(noise, 0, 11, whole).minimum_detectable;
  EXPECT_GT(expected, seen / 4);
  EXPECT_LT(expected, seen * 4);
  ComparisonRule longer = whole;
  longer.budget.count *= 4;
  EXPECT_LT(expected_detectable(longer, run(noise, 0, 5, pilot)), expected);
  EXPECT_TRUE(std::isinf(expected_detectable(whole, ComparisonResult())));
}

TEST(Comparison, MinimumDetectableChangeIsDetected) {
  ComparisonRule rule;
  rule.least_processes = rule.most_processes = 10;
  int found = 0;
  for (std::uint64_t trial = 0; trial < 300; ++trial) {
    const double detectable = run(model("M2"), 0, 2 * trial, rule).minimum_detectable;
    found += run(model("M2"), detectable, 2 * trial + 1, rule).verdict == Verdict::kRegressed ? 1 : 0;
  }
  EXPECT_GE(found, 270);
}

TEST(Comparison, AKernelTooSlowForItsBudgetIsLookedAtInAsManyProcessesAsAVerdictNeeds) {
  ComparisonRule rule;
  rule.budget = {1};
  const ComparisonResult result = run(model("M1"), 0.05, 3, rule);
  EXPECT_EQ(result.verdict, Verdict::kRegressed);
  EXPECT_EQ(result.processes, rule.least_processes);
}

TEST(Comparison, SameSamplesGiveTheSameVerdictBitForBit) {
  const ComparisonResult first = run(model("M3"), 0.02, 23);
  const ComparisonResult again = run(model("M3"), 0.02, 23);
  EXPECT_EQ(first.ratio, again.ratio);
  EXPECT_EQ(first.interval.low, again.interval.low);
  EXPECT_EQ(first.processes, again.processes);
  EXPECT_EQ(first.p_regressed, again.p_regressed);
}

TEST(Comparison, CorruptSamplesLeaveItAsItWas) {
  Comparison comparison({});
  NoiseSource source(model("M1"), 1);
  ASSERT_TRUE(comparison.tell(source.next_process(20, 0), {1}).ok());
  PairedSamples samples = source.next_process(20, 0);
  samples.baseline[4] = std::numeric_limits<double>::quiet_NaN();
  EXPECT_EQ(comparison.tell(samples, {1}).error().code, ErrorCode::kCorrupt);
  EXPECT_EQ(comparison.result().processes, 1);
}

}  // namespace
}  // namespace fuselab
