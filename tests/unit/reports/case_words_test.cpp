// SPDX-License-Identifier: Apache-2.0
#include "app/reports/case_words.h"

#include <gtest/gtest.h>

#include <limits>

#include "tests/support/sample_check_report.h"

namespace fuselab::reports {
namespace {

TEST(CaseWords, AFindingHasEveryFigureThatItRestsOn) {
  const CheckReport report = test::sample_check_report();
  EXPECT_EQ(
      finding_of(report.cases[0]),
      "1.043x the baseline's time [1.032, 1.055], margin 1 %, detect 5 %; confirmed: 1.041x [1.029, 1.054]; changes from 3.2 % are "
      "seen; variance: 80 % within blocks, 0 % between blocks, 20 % between processes; 120 pairs in 12 processes, 2 more discarded "
      "as disturbed; 41.2 µs -> 43.0 µs; tuned: threads=2,vector=16; paired "
      "baseline: baseline.fuselab of 2026-11-20, commit 1a2b3c4d5e6f, device 5c0ffee0-cpu, in threads=1,vector=16");
}

TEST(CaseWords, WhatWasNotMeasuredHasItsReason) {
  CaseOutcome one;
  one.state = CaseState::kUnfit;
  one.reason = "no device cuda:0";
  EXPECT_EQ(finding_of(one), "no device cuda:0");
  one.disturbed = 1;
  EXPECT_EQ(finding_of(one), "no device cuda:0; 1 process discarded as disturbed");
}

TEST(CaseWords, BoundsThatAreNoneAreSaid) {
  ComparisonResult result;
  EXPECT_EQ(detectable_text(result), "too few processes to say what would be seen");
  result.interval = {0, std::numeric_limits<double>::infinity()};
  result.ratio = std::numeric_limits<double>::quiet_NaN();
  EXPECT_EQ(ratio_text(result), "?x [0.000, infinity]");
}

TEST(CaseWords, TotalsCountEachState) {
  EXPECT_EQ(
      totals_of(test::sample_check_report()),
      "12 cases: 2 regressed, 1 wrong result, 1 failed, 1 misconfigured, 1 no baseline, 1 unfit, 1 inconclusive, 1 unconfirmed, "
      "1 improved, 1 equivalent, 1 same");
  EXPECT_EQ(totals_of(CheckReport{}), "0 cases");
}

TEST(CaseWords, AMachineWhoseFalseAlarmsNobodyCountedSaysSo) {
  CheckReport report = test::sample_check_report();
  EXPECT_EQ(
      false_alarms_text(report),
      "This machine's self-test: 1 false alarm in 2000 comparisons of identical kernels, at most 0.237 % with 95 % confidence.");
  report.selftest = SelftestNote{"of cpu:0, margin 1 %", {{0.01, {15, 50}}, {0.02, {50, 50}}}};
  EXPECT_EQ(
      false_alarms_text(report),
      "This machine's self-test: 1 false alarm in 2000 comparisons of identical kernels, at most 0.237 % with 95 % confidence; "
      "slowdowns found: +1 % 15 of 50 (at least 19.5 %), +2 % 50 of 50 (at least 94.2 %). It was of cpu:0, margin 1 %.");
  report.false_alarms.reset();
  report.selftest = SelftestNote{"`fuselab selftest --aa 200` measures it", {}};
  EXPECT_EQ(false_alarms_text(report), "This machine's false-alarm rate is not known: `fuselab selftest --aa 200` measures it.");
  report.selftest.reset();
  EXPECT_NE(false_alarms_text(report).find("was not measured"), std::string::npos);
}

TEST(CaseWords, ShortenedTextEndsBetweenCharacters) {
  EXPECT_EQ(shortened("grüße", 3), "gr…");
  EXPECT_EQ(shortened("grüße", 4), "grü…");
  EXPECT_EQ(shortened("grüße", 7), "grüße");
}

}  // namespace
}  // namespace fuselab::reports
