// SPDX-License-Identifier: Apache-2.0
#include "core/gate/check_report.h"

#include <gtest/gtest.h>

namespace fuselab {
namespace {

CaseOutcome outcome(CaseState state, double ratio) {
  CaseOutcome one;
  one.state = state;
  one.comparison = ComparisonResult{};
  one.comparison->ratio = ratio;
  return one;
}

TEST(CheckReport, ListsTheWorstFirstAndOfOneKindTheLargestChange) {
  CheckReport report;
  report.cases = {outcome(CaseState::kSame, 1), outcome(CaseState::kRegressed, 1.02), outcome(CaseState::kImproved, 0.5),
                  outcome(CaseState::kRegressed, 1.5), outcome(CaseState::kNoBaseline, 1)};
  EXPECT_EQ(by_severity(report), (std::vector<std::size_t>{3, 1, 4, 2, 0}));
}

TEST(CheckReport, ACaseWithoutAComparisonHasItsPlaceToo) {
  CheckReport report;
  report.cases.resize(2);
  report.cases[0].state = CaseState::kEquivalent;
  report.cases[1].state = CaseState::kFailed;
  EXPECT_EQ(by_severity(report), (std::vector<std::size_t>{1, 0}));
}

TEST(CheckReport, EveryStateIsReadBackFromItsName) {
  for (int i = 0; i <= static_cast<int>(CaseState::kMisconfigured); ++i) {
    const auto state = static_cast<CaseState>(i);
    const auto again = parse_case_state(name_of(state));
    ASSERT_TRUE(again.ok()) << i;
    EXPECT_EQ(again.value(), state);
  }
  EXPECT_FALSE(parse_case_state("slow").ok());
}

}  // namespace
}  // namespace fuselab
