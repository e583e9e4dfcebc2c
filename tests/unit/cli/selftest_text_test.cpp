// SPDX-License-Identifier: Apache-2.0
#include "app/cli/output/selftest_text.h"

#include <gmock/gmock.h>

#include "app/cli/shell/terminal.h"

namespace fuselab::cli {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

// `found` of so many comparisons at a slowdown were called regressions, and but for some confirmed.
void add(engine::SelftestReport& report, double slowdown, int found, int comparisons, int unconfirmed = 0) {
  for (int i = 0; i < comparisons; ++i) {
    engine::SelftestTrial trial;
    trial.kernel = "w1 rows=8";
    trial.slowdown = slowdown;
    trial.first.processes.emplace_back();
    trial.first.result.verdict = i < found ? Verdict::kRegressed : Verdict::kEquivalent;
    trial.confirmation.emplace().result.verdict = i < found - unconfirmed ? Verdict::kRegressed : Verdict::kInconclusive;
    report.trials.push_back(std::move(trial));
  }
}

std::string told(const engine::SelftestReport& report) {
  return report_text(report, 0.01, Terminal{});
}

TEST(SelftestText, TwoOfTwoAreNoPower) {
  engine::SelftestReport report;
  add(report, 0, 0, 10);
  add(report, 0.01, 2, 2);
  EXPECT_THAT(told(report),
              HasSubstr("The smallest slowdown found 19 times in 20: +1 % (2 of 2, at least 22.36 %); that this is 95 % "
                        "power takes more comparisons, 59 at least.\n"));
  EXPECT_THAT(told(report), Not(HasSubstr("found at 95 % power")));
}

TEST(SelftestText, PowerIsWhatItsLowerBoundSays) {
  engine::SelftestReport report;
  add(report, 0, 0, 10);
  add(report, 0.01, 30, 60);
  add(report, 0.02, 58, 60);
  add(report, 0.05, 60, 60);
  EXPECT_THAT(told(report), HasSubstr("The smallest slowdown found at 95 % power: +5 % (60 of 60, at least 95.13 %).\n"
                                      "The smallest slowdown found 19 times in 20: +2 % (58 of 60, at least "));
}

TEST(SelftestText, WhatTheGateFailsOnIsSaidWhereItIsLess) {
  engine::SelftestReport report;
  add(report, 0, 0, 10);
  add(report, 0.02, 60, 60, 10);
  add(report, 0.05, 60, 60);
  EXPECT_THAT(told(report), HasSubstr("The smallest slowdown found at 95 % power: +2 % (60 of 60, at least 95.13 %).\n"
                                      "The smallest slowdown confirmed, which a gate fails on, at 95 % power: +5 % (60 of 60, at "
                                      "least 95.13 %).\nWhat limits it"));
  engine::SelftestReport never;
  add(never, 0, 0, 10);
  add(never, 0.02, 60, 60, 30);
  EXPECT_THAT(told(never), HasSubstr("No slowdown that was tried is confirmed, which a gate fails on, at 95 % power here.\n"));
}

TEST(SelftestText, ScatterIsOfComparisonsThatEnded) {
  engine::SelftestReport report;
  engine::SelftestTrial failed;
  failed.kernel = "w1 rows=8";
  failed.failure = "each of its processes was disturbed";
  report.trials.push_back(failed);
  add(report, 0.02, 60, 60);
  EXPECT_THAT(told(report), HasSubstr("(medians, of +2 %)"));
}

TEST(SelftestText, WhatIsSelfEvidentIsSaidOnce) {
  engine::SelftestReport report;
  add(report, 0, 0, 10);
  add(report, 0.02, 100, 100);
  EXPECT_THAT(told(report),
              HasSubstr("The smallest slowdown found at 95 % power: +2 % (100 of 100, at least 97.05 %).\nWhat limits it"));
  engine::SelftestReport none;
  add(none, 0, 0, 10);
  add(none, 0.02, 50, 100);
  EXPECT_THAT(told(none), HasSubstr("No slowdown that was tried is found at 95 % power here.\n"));
  engine::SelftestReport untried;
  add(untried, 0, 0, 10);
  EXPECT_THAT(told(untried), Not(HasSubstr("slowdown found")));
}

}  // namespace
}  // namespace fuselab::cli
