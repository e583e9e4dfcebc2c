// SPDX-License-Identifier: Apache-2.0
#include "core/gate/history.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace fuselab {
namespace {

CaseOutcome outcome_of(double ratio, const std::string& name = "softmax") {
  CaseOutcome outcome;
  outcome.name = name;
  outcome.subject = "w5-softmax";
  outcome.device = "cpu:0";
  outcome.backend = "cpu";
  outcome.state = CaseState::kEquivalent;
  outcome.baseline = BaselineUsed{"paired", "baseline.fuselab", "0123456789abcdef", "uuid", false};
  ComparisonResult result;
  result.ratio = ratio;
  result.processes = 5;
  result.pairs = 50;
  result.between_deviation = 0.01;
  result.within_deviation = 0.02;
  outcome.comparison = result;
  return outcome;
}

CheckReport run_of(CaseOutcome outcome, const std::string& commit, const std::string& started_at) {
  CheckReport report;
  report.commit = commit;
  report.started_at = started_at;
  report.cases.push_back(std::move(outcome));
  return report;
}

TEST(History, IsInOrderOfTimeWhateverTheOrderOfFiles) {
  const std::vector<CheckReport> reports = {run_of(outcome_of(1.02), "b", "2026-11-02T10:00:00Z"),
                                            run_of(outcome_of(1.01), "a", "2026-11-01T10:00:00Z"),
                                            run_of(outcome_of(1.03), "c", "2026-11-03T10:00:00Z")};
  const std::vector<History> histories = histories_of(reports);
  ASSERT_EQ(histories.size(), 1U);
  EXPECT_EQ(histories[0].name, "softmax");
  EXPECT_EQ(histories[0].beside, "baseline 0123456789ab of baseline.fuselab");
  ASSERT_EQ(histories[0].points.size(), 3U);
  EXPECT_EQ(histories[0].points[0].commit, "a");
  EXPECT_EQ(histories[0].points[0].report, 1U);
  EXPECT_EQ(histories[0].points[2].commit, "c");
  EXPECT_DOUBLE_EQ(histories[0].points[1].observation.value, std::log(1.02));
  // sqrt(0.01²/5 + pi/2 0.02²/50)
  EXPECT_NEAR(histories[0].points[0].observation.standard_error, 0.0057062, 1e-6);
}

// A drill is no regression, and a kernel beside itself says nothing of the baseline.
TEST(History, LeavesOutDrillsAndNullControls) {
  CaseOutcome drilled = outcome_of(1.05), control = outcome_of(1.0);
  drilled.drill = 0.05;
  control.null_control = true;
  const std::vector<CheckReport> reports = {run_of(outcome_of(1.02), "a", "2026-11-01T10:00:00Z"),
                                            run_of(drilled, "b", "2026-11-02T10:00:00Z"),
                                            run_of(control, "c", "2026-11-03T10:00:00Z")};
  const std::vector<History> histories = histories_of(reports);
  ASSERT_EQ(histories.size(), 1U);
  ASSERT_EQ(histories[0].points.size(), 1U);
  EXPECT_EQ(histories[0].points[0].commit, "a");
}

TEST(History, ARunGivenTwiceCountsOnce) {
  const CheckReport run = run_of(outcome_of(1.02), "b", "2026-11-02T10:00:00Z");
  CheckReport other = run;
  other.cases[0].comparison->ratio = 1.05;  // of that start, too: of another job
  const std::vector<History> histories = histories_of(std::vector<CheckReport>{run, other, run, run});
  ASSERT_EQ(histories.size(), 1U);
  EXPECT_EQ(histories[0].points.size(), 2U);
  EXPECT_EQ(histories[0].duplicates, 2);
}

TEST(History, RunsWithoutATimeAreAllKept) {
  const CheckReport run = run_of(outcome_of(1.02), "", "");
  EXPECT_EQ(histories_of(std::vector<CheckReport>{run, run})[0].points.size(), 2U);
}

TEST(History, WhatCannotBeComparedIsApart) {
  CaseOutcome elsewhere = outcome_of(1), later = outcome_of(1), other_machine = outcome_of(1);
  elsewhere.device = "cuda:0";
  later.baseline->commit = "fedcba9876543210";
  other_machine.device_uuid = "another";
  const std::vector<History> histories =
      histories_of(std::vector<CheckReport>{run_of(outcome_of(1), "a", "1"), run_of(elsewhere, "a", "1"), run_of(later, "a", "2"),
                                            run_of(other_machine, "a", "1"), run_of(outcome_of(1, "norm"), "a", "1")});
  EXPECT_EQ(histories.size(), 5U);
}

// Ratios to what was measured at another time carry the machine's drift.
TEST(History, OnlyPairedFiguresArePoints) {
  CaseOutcome historical = outcome_of(1.5), failed = outcome_of(1.5), same = outcome_of(1), broken = outcome_of(1);
  historical.baseline->kind = "historical";
  failed.state = CaseState::kFailed;
  failed.baseline.reset();
  failed.comparison.reset();
  same.state = CaseState::kSame;
  same.comparison.reset();
  broken.comparison->ratio = std::numeric_limits<double>::quiet_NaN();
  const std::vector<History> histories =
      histories_of(std::vector<CheckReport>{run_of(failed, "0", "0"), run_of(historical, "1", "1"),
                                            run_of(outcome_of(1.01), "2", "2"), run_of(same, "3", "3"), run_of(broken, "4", "4")});
  ASSERT_EQ(histories.size(), 1U);
  ASSERT_EQ(histories[0].points.size(), 2U);
  EXPECT_FALSE(histories[0].points[0].observation.identical);
  EXPECT_TRUE(histories[0].points[1].observation.identical) << "the very same kernel as what would have run beside it";
  EXPECT_EQ(histories[0].points[1].observation.value, 0);
  EXPECT_EQ(histories[0].points[1].observation.standard_error, 0) << "not known, rather than none";
  EXPECT_EQ(histories[0].identical, 1);
  EXPECT_EQ(histories[0].without_figure, 3);
}

// Both ready CI jobs save the baseline anew with each push: while it is the same kernel, the series goes on.
TEST(History, ABaselineIsItsKernelInWhateverFile) {
  std::vector<CheckReport> reports;
  for (int run = 0; run < 4; ++run) {
    CaseOutcome outcome = outcome_of(1.01);
    outcome.baseline->origin = "main.baseline of 2026-11-0" + std::to_string(run + 1);
    outcome.baseline->commit = std::string(40, static_cast<char>('a' + run));
    outcome.baseline->device_uuid = "runner " + std::to_string(run);
    outcome.baseline->kernel = run < 3 ? "k1" : "k2";
    reports.push_back(run_of(outcome, std::to_string(run), std::to_string(run)));
  }
  const std::vector<History> histories = histories_of(reports);
  ASSERT_EQ(histories.size(), 2U);
  EXPECT_EQ(histories[0].points.size(), 3U);
  EXPECT_EQ(histories[0].beside, "baseline cccccccccccc of main.baseline of 2026-11-03");
  EXPECT_EQ(histories[1].points.size(), 1U);
}

// A golden file's kernels run beside the candidate; how old it is by now is another text in every run, and no other baseline.
TEST(History, AGoldenFilesFiguresArePaired) {
  CaseOutcome first = outcome_of(1.5), second = outcome_of(1.4);
  for (CaseOutcome* const each : {&first, &second}) each->baseline->kind = "golden";
  first.baseline->note = "1 day old, 9 days left";
  second.baseline->note = "2 days old, 8 days left";
  const std::vector<History> histories = histories_of(std::vector<CheckReport>{run_of(first, "1", "1"), run_of(second, "2", "2")});
  ASSERT_EQ(histories.size(), 1U);
  EXPECT_EQ(histories[0].points.size(), 2U);
}

TEST(History, OfACaseThatNeverHadAFigureIsTold) {
  CaseOutcome failed = outcome_of(1);
  failed.state = CaseState::kFailed;
  failed.baseline.reset();
  failed.comparison.reset();
  const std::vector<History> histories = histories_of(std::vector<CheckReport>{run_of(failed, "a", "1")});
  ASSERT_EQ(histories.size(), 1U);
  EXPECT_TRUE(histories[0].points.empty());
  EXPECT_EQ(histories[0].without_figure, 1);
}

TEST(History, ExchangedBaselinesAreBridgedByTheReferenceKernel) {
  CaseOutcome first = outcome_of(1.1), second = outcome_of(1.0);
  second.baseline->commit = "fedcba9876543210";
  for (CaseOutcome* const outcome : {&first, &second}) {
    outcome->reference = "w4-rmsnorm";
    outcome->reference_ns = 500;
    outcome->candidate_ns = 1000;
  }
  const std::vector<CheckReport> reports = {run_of(first, "a", "1"), run_of(second, "b", "2")};
  const std::vector<History> histories = histories_of(reports);
  ASSERT_EQ(histories.size(), 1U);
  EXPECT_EQ(histories[0].beside, "reference w4-rmsnorm");
  ASSERT_EQ(histories[0].points.size(), 2U);
  EXPECT_DOUBLE_EQ(histories[0].points[0].observation.value, std::log(2.0));
  // Of a run that nothing was measured in only its baseline's series tells.
  CaseOutcome same = outcome_of(1);
  same.state = CaseState::kSame;
  same.comparison.reset();
  const std::vector<History> both = histories_of(std::vector<CheckReport>{reports[0], reports[1], run_of(same, "c", "3")});
  ASSERT_EQ(both.size(), 2U);
  EXPECT_EQ(both[0].beside, "reference w4-rmsnorm");
  EXPECT_EQ(both[0].points.size(), 2U);
  EXPECT_EQ(both[1].beside, "baseline 0123456789ab of baseline.fuselab");
  EXPECT_EQ(both[1].points.size(), 2U);
  // One baseline alone is closer: it ran in the same processes.
  EXPECT_EQ(histories_of(std::span(reports).first(1))[0].beside, "baseline 0123456789ab of baseline.fuselab");
}

TEST(History, SaysWhatElseChanged) {
  CheckReport before, after;
  before.environment = {{"driver", "550.1"}, {"cpu", "EPYC"}, {"gone", "1"}};
  after.environment = {{"cpu", "EPYC"}, {"driver", "555.2"}, {"new", "1"}};
  const std::vector<EnvironmentChange> changes = environment_changes(before, after);
  ASSERT_EQ(changes.size(), 1U);
  EXPECT_EQ(changes[0].name, "driver");
  EXPECT_EQ(changes[0].before, "550.1");
  EXPECT_EQ(changes[0].after, "555.2");
}

TEST(History, OfNothingIsNone) {
  EXPECT_TRUE(histories_of({}).empty());
  EXPECT_TRUE(histories_of(std::vector<CheckReport>(3)).empty());
}

}  // namespace
}  // namespace fuselab
