// SPDX-License-Identifier: Apache-2.0
#include "app/reports/markdown.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "tests/support/sample_check_report.h"

namespace fuselab::reports {
namespace {

// How often each character that GitHub may give a meaning to occurs.
std::string marks_of(const std::string& text) {
  std::string counts;
  for (const char mark : std::string("\n|<>`*_[]#~@$!\\^{}"))
    counts += mark + std::to_string(std::count(text.begin(), text.end(), mark)) + " ";
  return counts;
}

// Without "&#124;", whose '#' heads nothing.
std::string without_references(std::string text) {
  for (std::size_t at = text.find("&#"); at != std::string::npos; at = text.find("&#", at))
    text.erase(at, text.find(';', at) + 1 - at);
  return text;
}

TEST(Markdown, RanksWhatWantsAttentionAndFoldsTheRestAway) {
  const std::string text = markdown_of(test::sample_check_report());
  EXPECT_TRUE(text.starts_with(std::string(kMarkdownStart) + "## Fuselab check\n\n**12 cases: 2 regressed, "));
  const std::size_t worst = text.find("<code>layernorm</code>"), second = text.find("<code>softmax</code>");
  const std::size_t fold = text.find("<details><summary>2 that did not change</summary>");
  EXPECT_LT(worst, second);
  EXPECT_LT(second, fold);
  EXPECT_LT(fold, text.find("<code>gelu</code>"));
  EXPECT_NE(text.find("| 1.310x [1.284, 1.336] |"), std::string::npos);
  EXPECT_NE(text.find("| governor | performance |"), std::string::npos);
  EXPECT_EQ(text.find("more; the log"), std::string::npos);
}

TEST(Markdown, NeverExceedsItsLimitAndCountsWhatItLeavesOut) {
  CheckReport report = test::sample_check_report();
  const CaseOutcome one = report.cases[0], calm = report.cases[5];
  report.cases.assign(5000, one);
  report.cases.insert(report.cases.end(), 5000, calm);
  for (const std::size_t limit : {std::size_t{16} * 1024, kLargestSummary}) {
    const std::string text = markdown_of(report, limit);
    EXPECT_LE(text.size(), limit);
    EXPECT_GT(text.size(), limit - limit / 8);
    const std::string_view row = "\n| regressed | ";
    std::size_t rows = 0;
    for (std::size_t at = text.find(row); at != std::string::npos; at = text.find(row, at + 1)) ++rows;
    EXPECT_NE(text.find("\n… and " + std::to_string(5000 - rows) + " more; the log"), std::string::npos);
    EXPECT_TRUE(text.ends_with("</details>\n"));
  }
}

TEST(Markdown, StrangersWordsMarkNothingUp) {
  const std::string plain = marks_of(without_references(markdown_of(test::check_report_saying("x"))));
  for (const std::string& hostile : test::hostile_texts()) {
    if (hostile.empty()) continue;
    const std::string text = markdown_of(test::check_report_saying(hostile));
    EXPECT_EQ(marks_of(without_references(text)), plain) << hostile.substr(0, 40);
    EXPECT_LE(text.size(), kLargestSummary);
  }
}

}  // namespace
}  // namespace fuselab::reports
