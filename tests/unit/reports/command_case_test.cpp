// SPDX-License-Identifier: Apache-2.0
// A case that is a command: it has no device, and where it failed its output is in the reports.
#include <gtest/gtest.h>

#include "app/reports/case_words.h"
#include "app/reports/check_html.h"
#include "app/reports/check_lines.h"
#include "app/reports/junit.h"

namespace fuselab::reports {
namespace {

CaseOutcome command() {
  CaseOutcome one;
  one.name = "bench";
  one.subject = "./bench";
  one.backend = kCommandBackend;
  one.state = CaseState::kFailed;
  one.reason = "`./bench`: it exited with code 3";
  one.output = "first line\nno such kernel <&>\n";
  return one;
}

TEST(CommandCase, ShowsItsOutputInJUnitAndHtml) {
  CheckReport report;
  report.cases = {command()};
  const std::string xml = junit_of(report);
  EXPECT_NE(xml.find("<testsuite name=\"command\""), std::string::npos) << xml;
  EXPECT_NE(xml.find("first line\nno such kernel &lt;&amp;&gt;"), std::string::npos) << xml;
  EXPECT_NE(check_html_of(report).find("<pre>first line\nno such kernel &lt;&amp;&gt;\n</pre>"), std::string::npos);
}

TEST(CommandCase, KeepsItsMarksInTheLines) {
  CheckReport report;
  report.cases = {command(), command()};
  report.cases[1].output = "";
  report.cases[1].state = CaseState::kInsensitive;
  report.cases[1].detect = 0.05;
  report.cases[1].drill = 0.03;
  report.cases[1].null_control = true;
  const auto read = read_check_lines(check_lines_of(report));
  ASSERT_TRUE(read.ok()) << read.error().message;
  const std::vector<CaseOutcome>& cases = read.value().front().cases;
  EXPECT_EQ(cases[0].output, report.cases[0].output);
  EXPECT_EQ(cases[0].drill, 0);
  EXPECT_EQ(cases[1].state, CaseState::kInsensitive);
  EXPECT_EQ(cases[1].detect, 0.05);
  EXPECT_EQ(cases[1].drill, 0.03);
  EXPECT_TRUE(cases[1].null_control);
  EXPECT_EQ(mark_text(cases[1]), "drill +3 %, null control");
}

TEST(CommandCase, HasBlocksOfRunsInsteadOfProcesses) {
  CaseOutcome one = command();
  one.comparison.emplace();
  one.comparison->processes = 6;
  one.comparison->pairs = 12;
  one.comparison->within_deviation = 0.01;
  EXPECT_EQ(sample_text(one), "12 pairs in 6 blocks of runs");
  EXPECT_EQ(variance_text(one), "variance: 100 % within blocks, 0 % between blocks");
}

}  // namespace
}  // namespace fuselab::reports
