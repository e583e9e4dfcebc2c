// SPDX-License-Identifier: Apache-2.0
#include "app/reports/sarif.h"

#include <gtest/gtest.h>

#include <limits>
#include <nlohmann/json.hpp>
#include <set>

#include "tests/support/sample_check_report.h"

namespace fuselab::reports {
namespace {

nlohmann::json run_of(const CheckReport& report) {
  return nlohmann::json::parse(sarif_of(report)).at("runs").at(0);
}

// Names of members and kinds of values, in order.
std::string shape_of(const nlohmann::json& value) {
  if (!value.is_structured()) return value.type_name();
  std::string text = value.is_object() ? "{" : "[";
  for (const auto& [name, member] : value.items()) text += (value.is_object() ? name : "") + ":" + shape_of(member) + ",";
  return text + "]";
}

TEST(Sarif, HasAResultForEachCaseThatFailsOrStaysOpen) {
  EXPECT_TRUE(sarif_of(test::sample_check_report()).starts_with(kSarifStart));
  const nlohmann::json run = run_of(test::sample_check_report());
  ASSERT_EQ(run.at("results").size(), 8u);
  const nlohmann::json& worst = run.at("results").at(0);
  EXPECT_EQ(worst.at("ruleId"), "fuselab/regressed");
  EXPECT_EQ(worst.at("level"), "error");
  const nlohmann::json& place = worst.at("locations").at(0).at("physicalLocation");
  EXPECT_EQ(place.at("artifactLocation").at("uri"), "bench/fuselab.toml");
  EXPECT_EQ(place.at("region").at("startLine"), 9);
  EXPECT_EQ(worst.at("properties").at("ratio"), 1.31);
  EXPECT_EQ(run.at("results").at(7).at("level"), "warning");
  for (const nlohmann::json& result : run.at("results")) {
    const std::size_t rule = result.at("ruleIndex");
    EXPECT_EQ(run.at("tool").at("driver").at("rules").at(rule).at("id"), result.at("ruleId"));
  }
}

TEST(Sarif, FingerprintsStayWhereverTheLineMovesAndTellCasesApart) {
  CheckReport report = test::sample_check_report();
  const auto prints = [&] {
    std::set<std::string> all;
    const nlohmann::json run = run_of(report);
    for (const nlohmann::json& result : run.at("results"))
      all.insert(result.at("partialFingerprints").at("primaryLocationLineHash").get<std::string>());
    return all;
  };
  const std::set<std::string> before = prints();
  EXPECT_EQ(before.size(), 8u);
  for (CaseOutcome& one : report.cases) {
    one.where.line += 7;
    if (one.comparison) one.comparison->ratio *= 1.001;
  }
  EXPECT_EQ(prints(), before);
}

TEST(Sarif, BoundsThatAreNoneAreAbsentAndTheFileAsAWholeIsItsFirstLine) {
  CheckReport report = test::sample_check_report();
  report.cases = {report.cases[0]};
  report.cases[0].where.line = 0;
  report.cases[0].comparison->minimum_detectable = std::numeric_limits<double>::infinity();
  const nlohmann::json result = run_of(report).at("results").at(0);
  EXPECT_FALSE(result.at("properties").contains("minimumDetectable"));
  EXPECT_EQ(result.at("locations").at(0).at("physicalLocation").at("region").at("startLine"), 1);
  report.cases[0].where.file.clear();
  EXPECT_FALSE(run_of(report).at("results").at(0).contains("locations"));
}

TEST(Sarif, TheWorstOfVeryManyAreKeptAndTheOthersCounted) {
  CheckReport report = test::sample_check_report();
  CaseOutcome open = report.cases[0], bad = report.cases[0];
  open.state = CaseState::kInconclusive;
  bad.state = CaseState::kRegressed;
  report.cases.assign(kMostSarifResults + 7, open);
  report.cases.push_back(bad);
  const nlohmann::json run = run_of(report);
  EXPECT_EQ(run.at("results").size(), kMostSarifResults);
  EXPECT_EQ(run.at("results").at(0).at("ruleId"), "fuselab/regressed");
  EXPECT_EQ(run.at("properties").at("resultsLeftOut"), 8);
  EXPECT_FALSE(run_of(test::sample_check_report()).at("properties").contains("resultsLeftOut"));
}

TEST(Sarif, ACaseThatFailedIsAFindingOfAToolThatRan) {
  CheckReport report = test::sample_check_report();
  const auto ran = [&] { return run_of(report).at("invocations").at(0).at("executionSuccessful").get<bool>(); };
  report.cases.resize(1);
  report.cases[0].state = CaseState::kFailed;
  report.exit_code = 3;
  EXPECT_TRUE(ran());
  report.cases[0].state = CaseState::kEquivalent;
  EXPECT_FALSE(ran()) << "the tool itself";
}

TEST(Sarif, StrangersWordsStayText) {
  const std::string plain = shape_of(nlohmann::json::parse(sarif_of(test::check_report_saying("x"))));
  for (const std::string& hostile : test::hostile_texts()) {
    if (hostile.empty()) continue;
    const std::string text = sarif_of(test::check_report_saying(hostile));
    EXPECT_EQ(shape_of(nlohmann::json::parse(text)), plain) << hostile;
    EXPECT_EQ(text.find_first_of("\x1b\x7f\r\t"), std::string::npos);
  }
}

}  // namespace
}  // namespace fuselab::reports
