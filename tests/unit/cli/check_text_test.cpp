// SPDX-License-Identifier: Apache-2.0
#include "app/cli/output/check_text.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <sstream>

#include "tests/support/sample_check_report.h"

namespace fuselab::cli {
namespace {

TEST(CheckText, NoLineIsACommandToARunner) {
  std::vector<std::string> texts = test::hostile_texts();
  for (const char* const command : {"::error ::x", "  ::stop-commands::x", "a ##[error]x", "##vso[task.complete]"})
    texts.emplace_back(command);
  for (const std::string& text : texts) {
    const std::string printed = check_text(test::check_report_saying(text), Terminal{});
    EXPECT_EQ(printed.find("##["), std::string::npos) << printed;
    EXPECT_EQ(printed.find("##vso["), std::string::npos) << printed;
    std::istringstream lines(printed);
    for (std::string line; std::getline(lines, line);)
      EXPECT_FALSE(line.substr(std::min(line.size(), line.find_first_not_of(" "))).starts_with("::")) << line;
  }
}

TEST(CheckText, NamesKernelsThatNoCaseAsksFor) {
  CheckReport report = test::sample_check_report();
  EXPECT_EQ(check_text(report, Terminal{}).find("no case asks for"), std::string::npos);
  report.environment.emplace_back(kUnusedKernels, "renamed on cpu:0");
  EXPECT_NE(check_text(report, Terminal{}).find("Of the baseline, no case asks for: renamed on cpu:0\n"), std::string::npos);
}

// A verdict that passes is looked behind as one that fails: what was compared, in which configurations, and how to do it again.
TEST(CheckText, EveryComparedCaseHasItsConfigurationsItsBaselineAndItsCommand) {
  CheckReport report = test::sample_check_report();
  for (CaseOutcome& one : report.cases) one.configuration = "tuned: threads=" + one.name;
  const std::string printed = check_text(report, Terminal{});
  for (const CaseOutcome& one : report.cases) {
    const std::string standing = one.where.file + ":" + std::to_string(one.where.line) + "; tuned: threads=" + one.name;
    const std::size_t place = printed.find(standing);
    if (one.state == CaseState::kSame) {
      EXPECT_EQ(place, std::string::npos) << "nothing was measured";
      continue;
    }
    ASSERT_NE(place, std::string::npos) << name_of(one.state) << "\n" << printed;
    const std::string rest = printed.substr(place + standing.size());
    const std::string baseline = "; paired: baseline.fuselab of 2026-11-20, commit 1a2b3c4d5e6f, in threads=1,vector=16";
    EXPECT_EQ(rest.rfind(one.baseline ? baseline : "\n", 0), 0U) << name_of(one.state) << rest.substr(0, 200);
    const std::string second = rest.substr(rest.find('\n') + 1);
    EXPECT_EQ(second.substr(0, second.find('\n')), "              " + one.reproduce) << name_of(one.state);
  }
}

// Of a good run as well.
TEST(CheckText, SaysWhatTheVerdictsStandOnOnceForAllCases) {
  CheckReport report = test::sample_check_report();
  EXPECT_EQ(check_text(report, Terminal{}).find("\nBaseline"), std::string::npos);
  for (CaseOutcome& one : report.cases)
    one.baseline = BaselineUsed{"golden", "main.baseline of 2026-11-01", "", "", false, "22 days old, 68 days left"};
  const std::string printed = check_text(report, Terminal{});
  const std::string line = "Baseline, golden: main.baseline of 2026-11-01; 22 days old, 68 days left.\n";
  const std::size_t place = printed.find(line);
  ASSERT_NE(place, std::string::npos) << printed;
  EXPECT_EQ(printed.find(line, place + 1), std::string::npos) << printed;
  for (std::size_t i = 0; i < report.cases.size(); ++i) report.cases[i].baseline->note = std::to_string(i) + " sessions";
  EXPECT_NE(check_text(report, Terminal{}).find("Baseline, … and 9 more, each with its case.\n"), std::string::npos);
}

}  // namespace
}  // namespace fuselab::cli
