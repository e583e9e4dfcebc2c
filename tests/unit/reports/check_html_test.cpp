// SPDX-License-Identifier: Apache-2.0
#include "app/reports/check_html.h"

#include <gtest/gtest.h>

#include <limits>

#include "app/reports/ratio_chart.h"
#include "tests/support/sample_check_report.h"

namespace fuselab::reports {
namespace {

std::size_t occurrences(const std::string& text, const std::string& part) {
  std::size_t count = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++count;
  return count;
}

// The names of all elements in order, after the style sheet.
std::string tags_of(const std::string& page) {
  std::string tags;
  for (std::size_t at = page.find("</style>"); at != std::string::npos; at = page.find('<', at + 1))
    tags += page.substr(at, page.find_first_of(" >", at) - at);
  return tags;
}

TEST(CheckHtml, IsOnePageThatRunsAndFetchesNothing) {
  const std::string page = check_html_of(test::sample_check_report());
  EXPECT_TRUE(page.starts_with(kCheckPageStart));
  EXPECT_TRUE(page.ends_with("</body></html>\n"));
  EXPECT_NE(page.find("default-src 'none'"), std::string::npos);
  for (const char* const part : {"<script", "http:", "https:", "src=", "url(", "@import", "<link", "<img", "<iframe"})
    EXPECT_EQ(page.find(part), std::string::npos) << part;
}

TEST(CheckHtml, ListsEveryCaseAndDrawsWhatWasMeasured) {
  const CheckReport report = test::sample_check_report();
  const std::string page = check_html_of(report);
  EXPECT_EQ(occurrences(page, "<tr><td class=\""), report.cases.size());
  EXPECT_EQ(occurrences(page, "<svg "), 6u);
  EXPECT_LT(page.find(">layernorm</a>"), page.find(">softmax</a>"));
  EXPECT_NE(page.find("<th>governor</th><td>performance</td>"), std::string::npos);
  EXPECT_NE(page.find("<td class=\"error\">regressed</td>"), std::string::npos);
}

TEST(CheckHtml, StrangersWordsStayText) {
  const std::string plain = tags_of(check_html_of(test::check_report_saying("x")));
  for (const std::string& hostile : test::hostile_texts()) {
    if (hostile.empty()) continue;
    EXPECT_EQ(tags_of(check_html_of(test::check_report_saying(hostile))), plain) << hostile.substr(0, 40);
  }
}

TEST(RatioChart, DrawsAPathPerProcessAndBothIntervals) {
  const CaseOutcome one = test::sample_check_report().cases[0];
  const std::string chart = ratio_chart(one);
  EXPECT_EQ(occurrences(chart, "class=\"pairs\""), one.log_ratios.size());
  EXPECT_EQ(occurrences(chart, "class=\"median\""), one.log_ratios.size());
  EXPECT_EQ(occurrences(chart, "<circle"), 2u);
  EXPECT_EQ(occurrences(chart, "h0"), 120u);
  EXPECT_EQ(occurrences(chart, "class=\"margin\""), 1u);
}

TEST(RatioChart, StaysInsideItsFrameWhateverTheSamples) {
  CaseOutcome one = test::sample_check_report().cases[0];
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  one.comparison->interval = {-kInfinity, kInfinity};
  one.confirmation->ratio = std::numeric_limits<double>::quiet_NaN();
  one.margin = kInfinity;
  one.log_ratios = {{0, 700, -700}, {}, {0.01, kInfinity, std::numeric_limits<double>::quiet_NaN()}};
  std::string chart = ratio_chart(one);
  chart.erase(0, chart.find("viewBox"));  // the words before it say "infinity"
  for (const char* const part : {"nan", "inf", "\"-"}) EXPECT_EQ(chart.find(part), std::string::npos) << part;
  one.log_ratios = {{}, {kInfinity}};
  EXPECT_EQ(ratio_chart(one), "");
}

TEST(RatioChart, OfVeryManyPairsDrawsASample) {
  CaseOutcome one = test::sample_check_report().cases[0];
  one.log_ratios.assign(40, std::vector<double>(5000, 0.01));
  const std::string chart = ratio_chart(one);
  EXPECT_LT(chart.size(), std::size_t{100} * 1024);
  EXPECT_EQ(occurrences(chart, "class=\"pairs\""), 40u);
}

}  // namespace
}  // namespace fuselab::reports
