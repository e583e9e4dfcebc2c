// SPDX-License-Identifier: Apache-2.0
#include "app/reports/annotations.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <sstream>

#include "tests/support/sample_check_report.h"

namespace fuselab::reports {
namespace {

std::vector<std::string> lines_of(const std::string& text) {
  std::istringstream stream(text);
  std::vector<std::string> lines;
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

std::size_t of_type(const std::vector<std::string>& lines, const std::string& type) {
  return static_cast<std::size_t>(
      std::count_if(lines.begin(), lines.end(), [&](const std::string& line) { return line.starts_with("::" + type + " "); }));
}

TEST(Annotations, StandAtTheLineOfTheirCaseTheWorstFirst) {
  const auto lines = lines_of(annotations_of(test::sample_check_report()));
  ASSERT_EQ(lines.size(), 10u);
  EXPECT_TRUE(lines[0].starts_with("::error file=bench/fuselab.toml,line=9,title=regressed%3A layernorm on cuda%3A0::1.310x the"));
  EXPECT_NE(lines[0].find("margin 1 %25, detect 5 %25; "), std::string::npos);
  EXPECT_TRUE(lines[0].ends_with("%0Afuselab check --case layernorm --device cpu:0"));
  EXPECT_EQ(of_type(lines, "error"), 5u);
  EXPECT_EQ(of_type(lines, "warning"), 3u);
  EXPECT_EQ(of_type(lines, "notice"), 2u);
}

TEST(Annotations, AreNeverMoreThanGitHubShows) {
  CheckReport report;
  CaseOutcome one = test::sample_check_report().cases[0];
  report.cases.assign(10, one);
  EXPECT_EQ(lines_of(annotations_of(report)).size(), 10u);
  report.cases.assign(57, one);
  one.state = CaseState::kUnfit;
  report.cases.insert(report.cases.end(), 11, one);
  const auto lines = lines_of(annotations_of(report));
  ASSERT_EQ(lines.size(), 20u);
  EXPECT_EQ(lines[9], "::error title=fuselab check::… and 48 more errors; the step's summary and its log have them all");
  EXPECT_EQ(lines[19], "::warning title=fuselab check::… and 2 more warnings; the step's summary and its log have them all");
}

TEST(Annotations, AreNeverLongerThanGitHubShows) {
  CheckReport report;
  report.cases = {test::sample_check_report().cases[0]};
  CaseOutcome& one = report.cases[0];
  one.state = CaseState::kFailed;
  one.reason = std::string(9000, 'r');
  one.reproduce = std::string(9000, 'c');
  const std::string line = annotations_of(report);
  EXPECT_LT(line.size() - line.find("::", 2), 4096U);
  EXPECT_NE(line.find("rrr"), std::string::npos);
  EXPECT_NE(line.find("%0Accc"), std::string::npos);
}

TEST(Annotations, NoWordOfAStrangerIsACommandOrAProperty) {
  for (const std::string& hostile : test::hostile_texts()) {
    const auto lines = lines_of(annotations_of(test::check_report_saying(hostile)));
    ASSERT_EQ(lines.size(), 10u) << hostile;
    for (const std::string& line : lines) {
      EXPECT_TRUE(line.starts_with("::error ") || line.starts_with("::warning ") || line.starts_with("::notice ")) << line;
      const std::string properties = line.substr(0, line.find("::", 2));
      EXPECT_EQ(std::count(properties.begin(), properties.end(), ','), hostile.empty() ? 0 : 2) << line;
      EXPECT_EQ(line.find('\r'), std::string::npos);
      EXPECT_LT(line.size(), std::size_t{64} * 1024);
    }
  }
}

}  // namespace
}  // namespace fuselab::reports
