// SPDX-License-Identifier: Apache-2.0
#include "app/cli/check_text.h"

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
    std::string const printed = check_text(test::check_report_saying(text), Terminal{});
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

}  // namespace
}  // namespace fuselab::cli
