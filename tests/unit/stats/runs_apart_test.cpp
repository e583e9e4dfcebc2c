// SPDX-License-Identifier: Apache-2.0
#include "core/stats/runs_apart.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <utility>

#include "core/base/random.h"

namespace fuselab {
namespace {

TimedApart kernel_of(double log_ratio, bool same) {
  return {1000, 1000 * std::exp(log_ratio), same, true, {}};
}

TimedApart on(std::string stratum, TimedApart kernel) {
  kernel.stratum = std::move(stratum);
  return kernel;
}

// Log-ratios of 0.01 to 0.05: mean 0.03, standard deviation sqrt(0.00025).
std::vector<TimedApart> five_controls() {
  std::vector<TimedApart> kernels;
  for (int i = 1; i <= 5; ++i) kernels.push_back(kernel_of(0.01 * i, true));
  return kernels;
}

TEST(RunsApart, TakesItsIntervalFromTheKernelsThatDidNotChange) {
  std::vector<TimedApart> kernels = five_controls();
  kernels.push_back(kernel_of(0.33, false));
  kernels.push_back(kernel_of(0.04, false));
  const auto found = compare_runs_apart(kernels);
  ASSERT_TRUE(found.ok()) << found.error().message;
  ASSERT_EQ(found.value().strata.size(), 1U);
  const StratumDrift& drift = found.value().strata.front();
  EXPECT_EQ(drift.controls, 5);
  EXPECT_TRUE(drift.enough);
  EXPECT_NEAR(drift.drift, std::exp(0.03), 1e-12);
  EXPECT_NEAR(drift.deviation, std::sqrt(0.00025), 1e-12);
  EXPECT_EQ(found.value().kernels[0].verdict, Verdict::kSame);
  const ApartResult& slower = found.value().kernels[5];
  EXPECT_EQ(slower.verdict, Verdict::kRegressed);
  EXPECT_NEAR(slower.ratio, std::exp(0.33), 1e-12);
  EXPECT_NEAR(slower.without_drift.value(), std::exp(0.30), 1e-12);
  // t(4, 0.995) = 4.604095 (tables of Student's distribution), times s sqrt(1 + 1/5).
  const double half = 4.604095 * std::sqrt(0.00025 * 1.2);
  EXPECT_NEAR(slower.interval.low, std::exp(0.30 - half), 1e-6);
  EXPECT_NEAR(slower.interval.high, std::exp(0.30 + half), 1e-6);
  EXPECT_LT(slower.q_value, 0.01);
  EXPECT_EQ(found.value().kernels[6].verdict, Verdict::kInconclusive);
  EXPECT_FALSE(found.value().kernels[6].reason.empty());
}

TEST(RunsApart, SaysNothingWithoutEnoughOfThem) {
  std::vector<TimedApart> kernels = five_controls();
  kernels.pop_back();
  kernels.push_back(kernel_of(2, false));
  const auto found = compare_runs_apart(kernels);
  ASSERT_TRUE(found.ok());
  const ApartResult& changed = found.value().kernels.back();
  EXPECT_EQ(changed.verdict, Verdict::kInconclusive);
  EXPECT_NE(changed.reason.find("4 kernels are the very same"), std::string::npos) << changed.reason;
  EXPECT_NEAR(changed.ratio, std::exp(2), 1e-9) << "what was measured is shown all the same";
  EXPECT_FALSE(changed.without_drift.has_value()) << "nobody knows what the machine did";
  EXPECT_FALSE(found.value().strata.front().enough);
  EXPECT_EQ(changed.interval.high, std::numeric_limits<double>::infinity());
}

TEST(RunsApart, AnotherMachineIsNeitherAControlNorJudged) {
  std::vector<TimedApart> kernels = five_controls();
  kernels.front().same_machine = false;
  kernels.push_back({1000, 9000, false, false, {}});
  const auto found = compare_runs_apart(kernels);
  ASSERT_TRUE(found.ok());
  EXPECT_EQ(found.value().strata.front().controls, 4);
  EXPECT_EQ(found.value().kernels.back().verdict, Verdict::kInconclusive);
  EXPECT_NE(found.value().kernels.back().reason.find("another machine"), std::string::npos);
  EXPECT_EQ(found.value().kernels.front().verdict, Verdict::kInconclusive) << "the same code on another machine is not `same`";
}

// A processor that stayed as it was says nothing about an accelerator that was clocked down meanwhile.
TEST(RunsApart, EachStratumHasADriftOfItsOwn) {
  std::vector<TimedApart> kernels;
  for (int i = 0; i < 8; ++i) kernels.push_back(on("cpu:0, warm", kernel_of(0.003 * (i % 2 == 0 ? 1 : -1), true)));
  for (int i = 0; i < 6; ++i) kernels.push_back(on("cuda:0, warm", kernel_of(0.05 + 0.001 * (i % 3), true)));
  kernels.push_back(on("cuda:0, warm", kernel_of(0.05, false)));
  kernels.push_back(on("cpu:0, warm", kernel_of(0.05, false)));
  const auto found = compare_runs_apart(kernels);
  ASSERT_TRUE(found.ok()) << found.error().message;
  ASSERT_EQ(found.value().strata.size(), 2U);
  EXPECT_EQ(found.value().strata[0].stratum, "cpu:0, warm");
  EXPECT_NEAR(found.value().strata[0].drift, 1, 1e-9);
  EXPECT_EQ(found.value().strata[1].controls, 6);
  EXPECT_NEAR(found.value().strata[1].drift, std::exp(0.051), 1e-9);
  const ApartResult& on_gpu = found.value().kernels[14];
  EXPECT_EQ(on_gpu.verdict, Verdict::kEquivalent) << "it did what its device did";
  EXPECT_NEAR(on_gpu.without_drift.value(), std::exp(-0.001), 1e-9);
  EXPECT_EQ(found.value().kernels[15].verdict, Verdict::kRegressed);
  EXPECT_LT(on_gpu.interval.high - on_gpu.interval.low,
            found.value().kernels[15].interval.high - found.value().kernels[15].interval.low)
      << "and scatter is the stratum's, too";
}

TEST(RunsApart, ControlsOfAnotherStratumDoNotHelp) {
  std::vector<TimedApart> kernels;
  for (int i = 0; i < 8; ++i) kernels.push_back(on("cpu:0, warm", kernel_of(0.003 * (i % 2 == 0 ? 1 : -1), true)));
  kernels.push_back(on("cuda:0, warm", kernel_of(0.05, true)));
  kernels.push_back(on("cuda:0, warm", kernel_of(0.05, false)));
  kernels.push_back(on("cpu:0, first-launch", kernel_of(0.05, false)));
  const auto found = compare_runs_apart(kernels);
  ASSERT_TRUE(found.ok());
  const ApartResult& on_gpu = found.value().kernels[9];
  EXPECT_EQ(on_gpu.verdict, Verdict::kInconclusive);
  EXPECT_EQ(
      on_gpu.reason,
      "1 kernel is the very same in both runs on cuda:0, warm; it takes 5 to tell how far kernels differ that did not change");
  EXPECT_FALSE(on_gpu.without_drift.has_value());
  const ApartResult& first = found.value().kernels[10];
  EXPECT_EQ(first.reason.substr(0, 62), "no kernel is the very same in both runs on cpu:0, first-launch") << first.reason;
  EXPECT_TRUE(found.value().strata[0].enough);
  EXPECT_FALSE(found.value().strata[1].enough);
  EXPECT_EQ(found.value().strata[2].controls, 0);
}

// A change is one of all that changed, wherever it was measured: its rate is of the whole, not of its stratum.
TEST(RunsApart, OneRateOfFalseDiscoveriesHoldsForAllStrata) {
  std::vector<TimedApart> kernels;
  for (const char* const stratum : {"cpu:0, warm", "cuda:0, warm"})
    for (int i = 0; i < 5; ++i) kernels.push_back(on(stratum, kernel_of(0.01 * i, true)));
  kernels.push_back(on("cpu:0, warm", kernel_of(0.3, false)));
  const auto alone = compare_runs_apart(kernels);
  for (int i = 0; i < 9; ++i) kernels.push_back(on("cuda:0, warm", kernel_of(0.02, false)));
  const auto among = compare_runs_apart(kernels);
  ASSERT_TRUE(alone.ok() && among.ok());
  EXPECT_NEAR(among.value().kernels[10].q_value, 10 * alone.value().kernels[10].q_value, 1e-12);
}

TEST(RunsApart, QuietControlsShowThatNothingChanged) {
  std::vector<TimedApart> kernels;
  for (int i = 0; i < 20; ++i) kernels.push_back(kernel_of(0.05 + 0.0005 * (i % 3), true));
  kernels.push_back(kernel_of(0.051, false));
  kernels.push_back(kernel_of(-0.05, false));
  const auto found = compare_runs_apart(kernels);
  ASSERT_TRUE(found.ok());
  EXPECT_EQ(found.value().kernels[20].verdict, Verdict::kEquivalent);
  EXPECT_EQ(found.value().kernels[21].verdict, Verdict::kImproved);
}

// Each suite has 40 kernels that only look changed: at 1 % of false discoveries, and the margin besides, hardly a suite calls any.
TEST(RunsApart, RarelyCallsWhatDidNotChange) {
  SeededRandom random(11);
  const auto normal = [&random] {
    double sum = -6;
    for (int i = 0; i < 12; ++i) sum += random.unit();
    return sum;
  };
  int red = 0;
  for (int suite = 0; suite < 300; ++suite) {
    std::vector<TimedApart> kernels;
    for (int i = 0; i < 50; ++i) kernels.push_back(kernel_of(0.02 + 0.03 * normal(), i < 10));
    const auto found = compare_runs_apart(kernels);
    ASSERT_TRUE(found.ok());
    for (const ApartResult& result : found.value().kernels) {
      if (result.verdict != Verdict::kRegressed && result.verdict != Verdict::kImproved) continue;
      ++red;
      break;
    }
  }
  EXPECT_LE(red, 9) << "of 300 suites";
}

TEST(RunsApart, RefusesTimesThatNoClockGives) {
  for (const double wrong : {0.0, -1.0, std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity()})
    EXPECT_EQ(compare_runs_apart(std::vector<TimedApart>{{1000, wrong, false, true, {}}}).error().code,
              ErrorCode::kInvalidArgument);
  EXPECT_TRUE(compare_runs_apart({}).ok());
}

}  // namespace
}  // namespace fuselab
