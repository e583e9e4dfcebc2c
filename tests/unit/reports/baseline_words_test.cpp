// SPDX-License-Identifier: Apache-2.0
// What a verdict stands on is in every form of a report: that times of before were not taken again, of which machine they are, and
// when a file ends.
#include <gtest/gtest.h>

#include <limits>

#include "app/reports/annotations.h"
#include "app/reports/case_words.h"
#include "app/reports/check_html.h"
#include "app/reports/check_lines.h"
#include "app/reports/junit.h"
#include "app/reports/markdown.h"
#include "app/reports/sarif.h"

namespace fuselab::reports {
namespace {

constexpr const char* kNote = "3 sessions of 2026-11-20 to 2026-11-22, not run again; taken elsewhere: microcode 0x1, here 0x2";

CheckReport historical_report() {
  CheckReport report;
  CaseOutcome& one = report.cases.emplace_back();
  one.name = "softmax";
  one.device = "cpu:0";
  one.backend = "cpu";
  one.where = {"fuselab.toml", 4};
  one.state = CaseState::kInconclusive;
  one.reason = "of one session it is not known how far sessions differ";
  one.baseline = BaselineUsed{"historical", "main.baseline of 2026-11-20", "1a2b3c4d", "5c0ffee0", false, kNote, true};
  ComparisonResult result;
  result.ratio = 1.25;
  result.interval = {0, std::numeric_limits<double>::infinity()};
  result.processes = 10;
  one.comparison = result;
  one.baseline_ns = 100;
  one.candidate_ns = 125;
  one.log_ratios = {{0.2, 0.21}, {0.22, 0.23}};
  return report;
}

TEST(BaselineWords, EveryReportSaysWhatTheVerdictStandsOn) {
  const CheckReport report = historical_report();
  for (const std::string& text : {junit_of(report), sarif_of(report), markdown_of(report), check_html_of(report),
                                  annotations_of(report), check_lines_of(report)}) {
    EXPECT_NE(text.find("historical"), std::string::npos) << text;
    EXPECT_NE(text.find("3 sessions of 2026"), std::string::npos) << text;
    EXPECT_NE(text.find("not run again"), std::string::npos) << text;
    EXPECT_NE(text.find("taken elsewhere"), std::string::npos) << text;
  }
}

TEST(BaselineWords, EveryReportSaysBothConfigurations) {
  CheckReport report = historical_report();
  report.cases[0].configuration = "tuned: threads=2,vector=16";
  report.cases[0].baseline->configuration = "threads=1,vector=8";
  for (const std::string& text : {junit_of(report), sarif_of(report), markdown_of(report), check_html_of(report),
                                  annotations_of(report), check_lines_of(report)}) {
    EXPECT_NE(text.find("threads=2,vector=16"), std::string::npos) << text;
    EXPECT_NE(text.find("threads=1,vector=8"), std::string::npos) << text;
  }
}

TEST(BaselineWords, WithoutPairsProcessesAreCounted) {
  const std::string finding = finding_of(historical_report().cases[0]);
  EXPECT_NE(finding.find("; 10 processes; 100 ns -> 125 ns; historical baseline: main.baseline"), std::string::npos) << finding;
  EXPECT_EQ(finding.find("pairs"), std::string::npos) << finding;
}

TEST(BaselineWords, LinesComeBackAndThoseOfBeforeAreRead) {
  std::string text = check_lines_of(historical_report());
  const auto read = read_check_lines(text);
  ASSERT_TRUE(read.ok()) << read.error().message;
  ASSERT_TRUE(read.value()[0].cases[0].baseline);
  EXPECT_EQ(read.value()[0].cases[0].baseline->note, kNote);
  EXPECT_TRUE(read.value()[0].cases[0].baseline->other_machine);
  const std::size_t note = text.find(",\"note\":");
  ASSERT_NE(note, std::string::npos);
  text.erase(note, text.find('}', note) - note);
  const auto old = read_check_lines(text);
  ASSERT_TRUE(old.ok()) << old.error().message;
  EXPECT_EQ(old.value()[0].cases[0].baseline->note, "");
  EXPECT_FALSE(old.value()[0].cases[0].baseline->other_machine);
}

}  // namespace
}  // namespace fuselab::reports
