// SPDX-License-Identifier: Apache-2.0
#include "core/stats/past_runs.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "core/stats/error_rate.h"
#include "core/stats/noise_model.h"

namespace fuselab {
namespace {

constexpr int kRounds = 8;

RunSamples drawn(const NoiseModel& noise, std::uint64_t seed, double slowdown = 0, int processes = kTimingRunProcesses) {
  NoiseSource source(noise, seed);
  RunSamples session;
  for (int i = 0; i < processes; ++i) session.push_back(source.next_process(kRounds, slowdown).candidate);
  return session;
}

std::vector<RunSamples> past_of(const NoiseModel& noise, std::size_t sessions, std::uint64_t seed) {
  std::vector<RunSamples> past;
  for (std::size_t i = 0; i < sessions; ++i) past.push_back(drawn(noise, seed + i));
  return past;
}

struct Counts {
  ErrorRate called, equivalent;
};

// Verdicts of kernels that are slower by so much than those of so many sessions before them.
Counts tried(const NoiseModel& noise, std::size_t sessions, double slowdown, int trials, int processes = kTimingRunProcesses) {
  Counts counts;
  counts.called.trials = counts.equivalent.trials = trials;
  for (int trial = 0; trial < trials; ++trial) {
    const auto seed = 1 + 1000 * static_cast<std::uint64_t>(trial);
    const auto past = past_of(noise, sessions, seed);
    const Verdict verdict = compare_with_past(past, drawn(noise, seed + 900, slowdown, processes), {}).value().verdict;
    counts.called.events += verdict == Verdict::kRegressed || verdict == Verdict::kImproved ? 1 : 0;
    counts.equivalent.events += verdict == Verdict::kEquivalent ? 1 : 0;
  }
  return counts;
}

// Sessions that differ by 0, 0.5 and 2 %: the stored baselines of other tools call up to 56 % of unchanged kernels there.
TEST(PastRuns, UnchangedKernelsAreCalledAtMostAsOftenAsPromised) {
  for (const NoiseModel& noise : noise_models()) {
    for (const std::size_t sessions : {std::size_t{2}, std::size_t{3}, std::size_t{6}}) {
      const Counts counts = tried(noise, sessions, 0, 400);
      EXPECT_LE(counts.called.events, 8) << noise.name << " with " << sessions << " sessions";  // 4 expected without a margin
    }
  }
}

// What a rule would say that takes processes of two sessions for all that scatters.
TEST(PastRuns, ProcessesAloneWouldCryWolf) {
  const NoiseModel& cloud = noise_models()[2];
  int called = 0;
  for (std::uint64_t trial = 0; trial < 200; ++trial) {
    const double change = std::log(level_ns(drawn(cloud, 7 * trial + 1)) / level_ns(drawn(cloud, 7 * trial + 2)));
    called += std::fabs(change) > std::log1p(0.01) + 2.88 * cloud.process * std::sqrt(2.0 / kTimingRunProcesses) ? 1 : 0;
  }
  EXPECT_GE(called, 80) << "of 200 unchanged kernels";
}

TEST(PastRuns, OneRunSaysNothing) {
  const NoiseModel& quiet = noise_models()[0];
  const ComparisonResult result = compare_with_past(past_of(quiet, 1, 1), drawn(quiet, 2, 0.5), {}).value();
  EXPECT_EQ(result.verdict, Verdict::kInconclusive);
  EXPECT_NEAR(result.ratio, 1.5, 0.02);
  EXPECT_EQ(result.interval.low, 0);
  EXPECT_TRUE(std::isinf(result.interval.high));
  EXPECT_TRUE(std::isinf(result.minimum_detectable));
  EXPECT_EQ(result.p_regressed, 1);
}

TEST(PastRuns, FiveRunsSeeWhatLiesBeyondTheirScatter) {
  const NoiseModel& steady = noise_models()[1];
  EXPECT_GE(tried(steady, 5, 0.08, 200).called.events, 190);
  EXPECT_GE(tried(noise_models()[0], 5, 0, 200).equivalent.events, 150);
  const ComparisonResult faster = compare_with_past(past_of(steady, 5, 3), drawn(steady, 99, -0.1), {}).value();
  EXPECT_EQ(faster.verdict, Verdict::kImproved);
  EXPECT_LT(faster.p_improved, 0.01);
  EXPECT_EQ(faster.p_regressed, 1);
}

TEST(PastRuns, FewerProcessesThanBeforeWidenTheInterval) {
  NoiseModel scattered = noise_models()[0];
  scattered.process = 0.03;
  EXPECT_LE(tried(scattered, 6, 0, 400, 3).called.events, 8);
  const auto past = past_of(scattered, 6, 5);
  const auto width = [&](int processes) {
    const ComparisonResult result = compare_with_past(past, drawn(scattered, 77, 0, processes), {}).value();
    return std::log(result.interval.high / result.interval.low);
  };
  EXPECT_GT(width(2), 1.5 * width(10));
}

// What it says would be seen is seen by others about 19 times in 20.
TEST(PastRuns, MinimumDetectableChangeIsDetected) {
  const NoiseModel& noise = noise_models()[1];
  int found = 0;
  for (std::uint64_t trial = 0; trial < 200; ++trial) {
    const auto past = past_of(noise, 6, 1000 * trial);
    const double detectable = compare_with_past(past, drawn(noise, 1000 * trial + 50), {}).value().minimum_detectable;
    found +=
        compare_with_past(past, drawn(noise, 1000 * trial + 51, detectable), {}).value().verdict == Verdict::kRegressed ? 1 : 0;
  }
  EXPECT_GE(found, 180);
}

// By hand: levels log 100, 110, 121 have the standard deviation log 1.1, and t(2, 0.995) is 9.9248.
TEST(PastRuns, TheIntervalIsThatOfThePrediction) {
  const auto session = [](double ns) { return RunSamples(kTimingRunProcesses, std::vector<double>(3, ns)); };
  const std::vector<RunSamples> past = {session(100), session(110), session(121)};
  const ComparisonResult result = compare_with_past(past, session(110 * 1.5), {}).value();
  const double half = 9.92484 * std::log(1.1) * std::sqrt(4.0 / 3);
  EXPECT_NEAR(result.ratio, 1.5, 1e-12);
  EXPECT_NEAR(std::log(result.interval.high / result.ratio), half, 1e-4);
  EXPECT_NEAR(result.between_deviation, std::log(1.1), 1e-12);
  EXPECT_EQ(result.within_deviation, 0);
  EXPECT_EQ(result.processes, kTimingRunProcesses);
  EXPECT_EQ(result.pairs, 0);
  EXPECT_EQ(result.verdict, Verdict::kInconclusive);
}

TEST(PastRuns, RefusesWhatNoClockGives) {
  const RunSamples good(kTimingRunProcesses, std::vector<double>(3, 100));
  const auto refusal = [&](const RunSamples& then, const RunSamples& now) {
    const auto compared = compare_with_past(std::vector<RunSamples>{good, then}, now, {});
    EXPECT_EQ(compared.ok() ? ErrorCode::kInternal : compared.error().code, ErrorCode::kCorrupt);
    return compared.ok() ? "" : compared.error().message;
  };
  for (const double wrong : {0.0, -1.0, std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity()}) {
    RunSamples bad = good;
    bad[1][2] = wrong;
    EXPECT_NE(refusal(bad, good).find("sample 2 is "), std::string::npos) << refusal(bad, good);
    EXPECT_NE(refusal(good, bad).find("no clock gives"), std::string::npos);
  }
  EXPECT_NE(refusal(good, {}).find("0 processes"), std::string::npos);
  EXPECT_NE(refusal(RunSamples{std::vector<double>{1}, std::vector<double>{}}, good).find("no sample"), std::string::npos);
  EXPECT_EQ(compare_with_past({}, good, {}).error().code, ErrorCode::kInvalidArgument);
}

}  // namespace
}  // namespace fuselab
