// SPDX-License-Identifier: Apache-2.0
#include "app/reports/check_lines.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>

#include "tests/support/sample_check_report.h"

namespace fuselab::reports {
namespace {

using test::sample_check_report;
using ::testing::HasSubstr;

std::vector<std::string> lines_in(const std::string& text) {
  std::vector<std::string> lines(1);
  for (const char letter : text) {
    if (letter == '\n') {
      lines.emplace_back();
    } else {
      lines.back() += letter;
    }
  }
  lines.pop_back();
  return lines;
}

Error refused(const std::string& text) {
  const auto read = read_check_lines(text);
  EXPECT_FALSE(read.ok());
  return read.ok() ? Error{} : read.error();
}

// The sample's lines with one member of line `index` (from 0) exchanged; an empty value takes it out.
std::string with_member(std::size_t index, const std::string& pointer, const std::string& value) {
  std::vector<std::string> lines = lines_in(check_lines_of(sample_check_report()));
  auto json = nlohmann::ordered_json::parse(lines[index]);
  const nlohmann::ordered_json::json_pointer where(pointer);
  if (value.empty()) {
    json.at(where.parent_pointer()).erase(where.back());
  } else {
    json[where] = nlohmann::ordered_json::parse(value);
  }
  lines[index] = json.dump();
  std::string text;
  for (const std::string& line : lines) text += line + "\n";
  return text;
}

TEST(CheckLines, AreOneForTheRunAndOneForEachCase) {
  const CheckReport report = sample_check_report();
  const std::string text = check_lines_of(report);
  EXPECT_TRUE(text.starts_with(kCheckLinesStart));
  const auto lines = lines_in(text);
  ASSERT_EQ(lines.size(), 1 + report.cases.size());
  for (std::size_t i = 0; i < report.cases.size(); ++i)
    EXPECT_EQ(nlohmann::json::parse(lines[i + 1]).at("name"), report.cases[i].name);
}

TEST(CheckLines, ComeBackAsTheyWereWritten) {
  CheckReport report = sample_check_report();
  report.cases[0].comparison->ratio = 0.1 + 0.2;
  report.cases[0].baseline_ns = std::numeric_limits<double>::denorm_min();
  report.cases[0].log_ratios = {{}, {std::numeric_limits<double>::max(), -0.0}};
  report.cases[1].comparison->minimum_detectable = std::numeric_limits<double>::infinity();
  report.cases[1].comparison->interval = {-std::numeric_limits<double>::infinity(), std::numeric_limits<double>::infinity()};
  report.selftest = SelftestNote{"of cpu:0", {{0.01, {15, 50}}, {0.02, {48, 50}}}};
  const std::string text = check_lines_of(report);
  const auto read = read_check_lines(text);
  ASSERT_TRUE(read.ok()) << read.error().message;
  ASSERT_EQ(read.value().size(), 1u);
  const CheckReport& again = read.value().front();
  EXPECT_EQ(check_lines_of(again), text);
  ASSERT_EQ(again.cases.size(), report.cases.size());
  const CaseOutcome &first = again.cases[0], &second = again.cases[1];
  EXPECT_EQ(first.comparison->ratio, 0.1 + 0.2);
  EXPECT_EQ(first.baseline_ns, std::numeric_limits<double>::denorm_min());
  EXPECT_EQ(first.log_ratios, report.cases[0].log_ratios);
  EXPECT_TRUE(std::signbit(first.log_ratios[1][1]));
  EXPECT_EQ(first.confirmation->interval.high, report.cases[0].confirmation->interval.high);
  EXPECT_EQ(first.where.line, 4);
  EXPECT_EQ(second.comparison->minimum_detectable, std::numeric_limits<double>::infinity());
  EXPECT_EQ(second.comparison->interval.low, -std::numeric_limits<double>::infinity());
  EXPECT_TRUE(second.baseline->recompiled);
  EXPECT_EQ(again.environment, report.environment);
  EXPECT_EQ(again.false_alarms->trials, 2000);
  EXPECT_EQ(again.selftest->of, "of cpu:0");
  ASSERT_EQ(again.selftest->power.size(), 2U);
  EXPECT_EQ(again.selftest->power[1].slowdown, 0.02);
  EXPECT_EQ(again.selftest->power[1].found.events, 48);
  EXPECT_EQ(again.exit_code, 1);
}

TEST(CheckLines, KeepEveryTextThatIsUtf8AndMendTheOthers) {
  for (const std::string& text : test::hostile_texts()) {
    const CheckReport report = test::check_report_saying(text);
    const std::string written = check_lines_of(report);
    EXPECT_EQ(lines_in(written).size(), 1 + report.cases.size());
    EXPECT_EQ(written.find_first_of("\x1b\x7f\r"), std::string::npos);
    const auto read = read_check_lines(written);
    ASSERT_TRUE(read.ok()) << read.error().message;
    EXPECT_EQ(check_lines_of(read.value().front()), written);
    if (text.find('\xff') == std::string::npos) {
      EXPECT_EQ(read.value().front().cases[0].name, text);
    }
  }
}

TEST(CheckLines, SeveralRunsMayStandInOneFile) {
  const std::string text = check_lines_of(sample_check_report());
  const auto read = read_check_lines(text + "\n  \r\n" + text + check_lines_of(CheckReport{}));
  ASSERT_TRUE(read.ok()) << read.error().message;
  ASSERT_EQ(read.value().size(), 3u);
  EXPECT_EQ(read.value()[1].cases.size(), sample_check_report().cases.size());
  EXPECT_TRUE(read.value()[2].cases.empty());
}

TEST(CheckLines, MembersOfLaterVersionsArePassedOver) {
  EXPECT_TRUE(read_check_lines(with_member(1, "/clock_ratio", "[1, {}]")).ok());
}

TEST(CheckLines, WhatIsOfAnotherKindIsNotTakenForAReport) {
  for (const std::string text : {"", "\n\n", "hello", "[1]", "{}", R"({"schema":7})", R"({"schema":"fuselab.selftest-record/1"})"})
    EXPECT_NE(refused(text).code, ErrorCode::kInternal) << text;
  const Error newer = refused(with_member(0, "/schema", R"("fuselab.check-lines/2")"));
  EXPECT_EQ(newer.code, ErrorCode::kInvalidArgument);
  EXPECT_EQ(newer.message, "line 1 is of another version, fuselab.check-lines/2; this Fuselab reads fuselab.check-lines/1");
}

TEST(CheckLines, SayWhichLineDoesNotHoldTogether) {
  struct Broken {
    std::size_t line;
    const char* member;
    const char* value;
    const char* told;
  };
  for (const Broken& broken : {
           Broken{1, "/name", "", "line 2: 'name' is missing"},
           Broken{1, "/name", "3", "line 2: 'name' is no text"},
           Broken{1, "/comparison/ratio", "null", "line 2: 'comparison': 'ratio' is no finite number of at least 0"},
           Broken{1, "/comparison/ratio", R"("nan")", "line 2: 'comparison': 'ratio' is no finite"},
           Broken{1, "/comparison/high", R"("nan")", "line 2: 'comparison': 'high' is no number"},
           Broken{1, "/comparison/verdict", R"("slow\u001b[2J")",
                  "line 2: 'comparison': 'verdict': no verdict is called 'slow?[2J'"},
           Broken{2, "/state", R"("fine")", "line 3: 'state': no case ends as 'fine'"},
           Broken{2, "/line", "-1", "line 3: 'line' is no count"},
           Broken{2, "/line", "1e9", "line 3: 'line' is no count"},
           Broken{2, "/disturbed", "4294967296", "line 3: 'disturbed' is no count"},
           Broken{3, "/log_ratios", "[[null]]", "line 4: 'log_ratios' holds what is no finite number"},
           Broken{3, "/log_ratios", "[0.5]", "line 4: 'log_ratios' holds what is no list"},
           Broken{3, "/baseline_ns", "-1", "line 4: 'baseline_ns' is no finite number of at least 0"},
           Broken{3, "/baseline", "[]", "line 4: 'baseline': this is no object"},
           Broken{3, "/baseline/recompiled", "1", "line 4: 'baseline': 'recompiled' is neither true nor false"},
           Broken{0, "/environment", R"([["cpu"]])", "line 1: 'environment' holds what is no pair of texts"},
           Broken{0, "/cases", "18446744073709551615", "line 1: 'cases' is no count"},
           Broken{0, "/cases", "9000000000000000000", "line 1: this run has 9000000000000000000 cases and 12 lines follow"},
           Broken{0, "/cases", "11", "line 13 begins no report"},
       }) {
    const Error error = refused(with_member(broken.line, broken.member, broken.value));
    EXPECT_THAT(error.message, HasSubstr(broken.told));
  }
}

TEST(CheckLines, ATornFileIsNamedAsOne) {
  const std::string text = check_lines_of(sample_check_report());
  EXPECT_THAT(refused(text.substr(0, text.size() - 10)).message, HasSubstr("line 13: this is no JSON"));
  EXPECT_THAT(refused(text.substr(0, text.find('\n') + 1)).message, HasSubstr("12 cases and 0 lines follow: the file was cut off"));
}

TEST(CheckLines, APartOfAFileIsNeverTakenForTheWhole) {
  const std::string text = check_lines_of(sample_check_report());
  for (std::size_t length = 0; length < text.size(); length += 97) {
    const auto read = read_check_lines(std::string_view(text).substr(0, length));
    EXPECT_FALSE(read.ok()) << length;
  }
}

TEST(CheckLines, WhatIsNestedOrLongWithoutEndIsOneError) {
  const std::string run = lines_in(check_lines_of(sample_check_report()))[0] + "\n";
  std::string members = "{";
  for (int i = 0; i < 200'000; ++i) members += "\"" + std::to_string(i) + "\":0,";
  EXPECT_EQ(refused(std::string(1'000'000, '[')).code, ErrorCode::kCorrupt);
  EXPECT_EQ(refused(std::string(1'000'000, '[') + std::string(1'000'000, ']')).code, ErrorCode::kInvalidArgument);
  EXPECT_EQ(refused(members + "\"x\":0}").code, ErrorCode::kInvalidArgument);
  EXPECT_EQ(refused(run + std::string(12, '\0')).code, ErrorCode::kCorrupt);
}

TEST(CheckLines, ANumberThatIsNoneIsWrittenAsSuchAndRefused) {
  CheckReport report = sample_check_report();
  report.cases[0].comparison->ratio = std::numeric_limits<double>::quiet_NaN();
  EXPECT_THAT(refused(check_lines_of(report)).message, HasSubstr("'ratio' is no finite number"));
}

}  // namespace
}  // namespace fuselab::reports
