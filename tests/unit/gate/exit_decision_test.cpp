// SPDX-License-Identifier: Apache-2.0
#include "core/gate/exit_decision.h"

#include <gtest/gtest.h>

namespace fuselab {
namespace {

CheckReport report_of(std::initializer_list<CaseState> states) {
  CheckReport report;
  for (const CaseState state : states) report.cases.emplace_back().state = state;
  return report;
}

int usual_code(std::initializer_list<CaseState> states) {
  return exit_code_of(report_of(states), usual_fail_on());
}

TEST(ExitDecision, EachEndHasItsCodeOfTheOneTable) {
  EXPECT_EQ(usual_code({CaseState::kRegressed}), 1);
  EXPECT_EQ(usual_code({CaseState::kMisconfigured}), 2);
  EXPECT_EQ(usual_code({CaseState::kFailed}), 3);
  EXPECT_EQ(usual_code({CaseState::kInsensitive}), 4);
  EXPECT_EQ(usual_code({CaseState::kNoBaseline}), 5);
  EXPECT_EQ(usual_code({CaseState::kExpired}), 5);
  EXPECT_EQ(usual_code({CaseState::kUntrusted}), 5);
  EXPECT_EQ(usual_code({CaseState::kRenamed}), 5);
  EXPECT_EQ(usual_code({CaseState::kUnfit}), 6);
  EXPECT_EQ(usual_code({CaseState::kWrongResult}), 7);
}

TEST(ExitDecision, WhatIsNotWorseNeverFails) {
  EXPECT_EQ(usual_code({}), 0);
  EXPECT_EQ(usual_code({CaseState::kSame, CaseState::kImproved, CaseState::kEquivalent, CaseState::kUnconfirmed}), 0);
  EXPECT_EQ(usual_code({CaseState::kNew, CaseState::kInconclusive}), 0) << "noted, and only --fail-on lets them fail";
}

TEST(ExitDecision, OfSeveralTheWorstCounts) {
  EXPECT_EQ(usual_code({CaseState::kInsensitive, CaseState::kUnfit}), 6);
  EXPECT_EQ(usual_code({CaseState::kUnfit, CaseState::kNoBaseline}), 5);
  EXPECT_EQ(usual_code({CaseState::kNoBaseline, CaseState::kMisconfigured}), 2);
  EXPECT_EQ(usual_code({CaseState::kMisconfigured, CaseState::kFailed}), 3);
  EXPECT_EQ(usual_code({CaseState::kFailed, CaseState::kWrongResult}), 7);
  EXPECT_EQ(usual_code({CaseState::kWrongResult, CaseState::kRegressed, CaseState::kSame}), 1);
}

TEST(ExitDecision, FailOnChoosesWhichCount) {
  const auto report = report_of({CaseState::kInconclusive, CaseState::kRegressed});
  EXPECT_EQ(exit_code_of(report, parse_fail_on(std::vector<std::string>{"inconclusive"}).value()), 4);
  EXPECT_EQ(exit_code_of(report, parse_fail_on(std::vector<std::string>{"regressed", "wrong-result"}).value()), 1);
  EXPECT_EQ(exit_code_of(report, parse_fail_on(std::vector<std::string>{"none"}).value()), 0);
}

TEST(ExitDecision, AWiderNameIncludesTheNarrower) {
  const auto code = [](CaseState state, const char* name) {
    return exit_code_of(report_of({state}), parse_fail_on(std::vector<std::string>{name}).value());
  };
  EXPECT_EQ(code(CaseState::kExpired, "no-baseline"), 5);
  EXPECT_EQ(code(CaseState::kUntrusted, "no-baseline"), 5);
  EXPECT_EQ(code(CaseState::kNoBaseline, "expired"), 0);
  EXPECT_EQ(code(CaseState::kInsensitive, "inconclusive"), 4);
  EXPECT_EQ(code(CaseState::kInconclusive, "insensitive"), 0);
}

TEST(ExitDecision, IsWrittenAsItIsRead) {
  for (const std::vector<std::string>& words : {std::vector<std::string>{"none"},
                                                {"wrong-result", "unfit"},
                                                {"regressed", "wrong-result", "inconclusive"},
                                                {"no-baseline"},
                                                {"expired", "insensitive"}})
    EXPECT_EQ(words_of(parse_fail_on(words).value()), words);
  EXPECT_EQ(words_of(usual_fail_on()).size(), 8U);
}

TEST(ExitDecision, RefusesWhatFailsNoRun) {
  for (const char* name : {"improved", "equivalent", "same", "unconfirmed", "nosuch", ""}) {
    const auto parsed = parse_fail_on(std::vector<std::string>{name});
    ASSERT_FALSE(parsed.ok()) << name;
    EXPECT_EQ(parsed.error().message,
              "'" + std::string(name) +
                  "' fails no run; these may: regressed, wrong-result, failed, misconfigured, "
                  "no-baseline, untrusted, expired, renamed, new, unfit, insensitive, inconclusive, or none");
  }
  EXPECT_FALSE(parse_fail_on(std::vector<std::string>{"regressed", "none"}).ok());
}

}  // namespace
}  // namespace fuselab
