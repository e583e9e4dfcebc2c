// SPDX-License-Identifier: Apache-2.0
// What self-tests of this machine leave behind, and which comparisons they speak of.
#include "app/gate/check/known_rate.h"

#include <gmock/gmock.h>

#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <tuple>

namespace fuselab::engine {
namespace {

using testing::EndsWith;
using testing::HasSubstr;

class KnownRate : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = std::filesystem::path(testing::TempDir()) / ("known_rate_" + std::to_string(::getpid()));
    std::filesystem::remove_all(folder_);
    config_.database = folder_ / "fuselab" / "fuselab.db";
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  static SelftestSummary summary(const std::string& id, std::int64_t trials, std::int64_t alarms = 0) {
    SelftestSummary summary;
    summary.id = id;
    summary.device = "cpu:0";
    summary.device_uuid = "this one";
    const ComparisonRule rule;
    summary.margin = rule.margin;
    summary.alpha = rule.alpha;
    summary.budget = rule.budget;
    summary.suite = 100;
    summary.kernels = {"w1 rows=128", "w3 rows=256"};
    summary.version = "0.1.0";
    summary.commit = "1a2b3c4d5e6f7a8b";
    summary.at = "2026-11-23T04:00:00Z";
    summary.wanted = summary.done = static_cast<int>(trials) + 50;
    summary.false_alarms = {alarms, trials};
    summary.power = {{0.02, {48, 50}}};
    return summary;
  }
  void keep(const SelftestSummary& summary) { ASSERT_TRUE(keep_summary(selftests_of(config_), summary).ok()); }

  static CheckedCase compared(double margin = 0.01, const std::string& uuid = "this one") {
    CheckedCase made;
    made.outcome.device = "cpu:0";
    made.outcome.device_uuid = uuid;
    made.rule.margin = margin;
    made.first.emplace();
    return made;
  }
  CheckReport told(std::vector<CheckedCase> cases) {
    const auto rates = KnownRates::open(config_, {});
    EXPECT_TRUE(rates.ok());
    CheckRun run;
    run.cases = std::move(cases);
    rates.value().tell(run);
    return run.report;
  }

  std::filesystem::path folder_;
  Config config_;
};

TEST_F(KnownRate, ASummaryReadsBackAsItWasKept) {
  const SelftestSummary kept = summary("a", 200, 1);
  keep(kept);
  const auto read = kept_summaries(selftests_of(config_));
  ASSERT_EQ(read.size(), 1U);
  const SelftestSummary& again = read[0];
  EXPECT_EQ(std::tie(again.id, again.device, again.device_uuid, again.kernels, again.version, again.commit, again.at),
            std::tie(kept.id, kept.device, kept.device_uuid, kept.kernels, kept.version, kept.commit, kept.at));
  EXPECT_EQ(std::tie(again.margin, again.alpha, again.budget.count, again.suite, again.load, again.wanted, again.done),
            std::tie(kept.margin, kept.alpha, kept.budget.count, kept.suite, kept.load, kept.wanted, kept.done));
  EXPECT_EQ(again.false_alarms.trials, 200);
  EXPECT_EQ(again.false_alarms.events, 1);
  ASSERT_EQ(again.power.size(), 1U);
  EXPECT_EQ(again.power[0].found.events, 48);
}

TEST_F(KnownRate, IsShownWithPowerAndWhatItIsOf) {
  keep(summary("a", 200, 1));
  const CheckReport report = told({compared()});
  ASSERT_TRUE(report.false_alarms && report.selftest);
  EXPECT_EQ(report.false_alarms->events, 1);
  EXPECT_EQ(report.false_alarms->trials, 200);
  EXPECT_EQ(report.selftest->of, "of cpu:0, margin 1 %, budget 2 s, 2 kernels, Fuselab's commit 1a2b3c4d5e6f, 2026-11-23");
  ASSERT_EQ(report.selftest->power.size(), 1U);
  EXPECT_EQ(report.selftest->power[0].slowdown, 0.02);
}

// Whoever tries it again with less does not forget what was seen with more.
TEST_F(KnownRate, SelfTestsOfOneKindAreAddedUpAndOneRecordCountsOnce) {
  keep(summary("/a.jsonl", 100, 1));
  keep(summary("/a.jsonl", 200, 1));  // the same record, gone on with
  keep(summary("b", 20, 1));
  SelftestSummary other = summary("c", 1000);
  other.commit = "0ldc0mm1t";
  const std::vector<SelftestSummary> before = kept_summaries(selftests_of(config_));
  const CheckReport report = told({compared()});
  ASSERT_TRUE(report.false_alarms);
  EXPECT_EQ(report.false_alarms->trials, 220);
  EXPECT_EQ(report.false_alarms->events, 2);
  EXPECT_EQ(report.selftest->power[0].found.trials, 100);
  keep(other);
  EXPECT_EQ(told({compared()}).false_alarms->trials, 1000) << "of the newest program alone";
  EXPECT_EQ(before.size(), 2U);
}

TEST_F(KnownRate, OtherSettingsAndOtherDevicesSayNothing) {
  keep(summary("a", 200));
  SelftestSummary loaded = summary("loaded", 5000);
  loaded.load = true;
  keep(loaded);
  for (const CheckedCase& other : {compared(0.03), compared(0.01, "another one")}) {
    const CheckReport report = told({other});
    EXPECT_FALSE(report.false_alarms);
    ASSERT_TRUE(report.selftest);
    EXPECT_THAT(report.selftest->of, EndsWith("` measures it"));
  }
  EXPECT_EQ(told({compared(0.03)}).selftest->of, "`fuselab selftest --aa 200 --slowed 50 --margin 3` measures it");
  EXPECT_EQ(told({compared()}).false_alarms->trials, 200) << "not beside a load";
  CheckedCase dear = compared();
  dear.rule.budget = {5e9};
  EXPECT_EQ(told({dear}).selftest->of, "`fuselab selftest --aa 200 --slowed 50 --budget 5` measures it");
}

TEST_F(KnownRate, OfSeveralSettingsThoseOfMostComparisonsCount) {
  keep(summary("a", 200));
  const CheckReport most = told({compared(0.03), compared(), compared()});
  ASSERT_TRUE(most.false_alarms);
  EXPECT_THAT(most.selftest->of, EndsWith("; it speaks of 2 of the 3 comparisons here"));
  EXPECT_TRUE(told({compared(0.03), compared(0.03), compared()}).false_alarms) << "where the most have none, those that have one";
}

// A rate of cases that were the same is none of those that were compared.
TEST_F(KnownRate, WhatWasNotComparedLendsNoRate) {
  keep(summary("a", 200));
  CheckedCase same = compared();
  same.first.reset();
  EXPECT_TRUE(told({same, same}).false_alarms) << "nothing was compared: it is shown as it is known";
  EXPECT_FALSE(told({same, same, compared(0.03)}).false_alarms);
}

TEST_F(KnownRate, NothingIsSaidWhereNothingWasCompared) {
  CheckedCase same = compared();
  same.first.reset();
  EXPECT_FALSE(told({same}).selftest);
  CheckedCase historical = compared();
  historical.past.emplace_back(2, std::vector<double>{1.0, 1.0});
  EXPECT_FALSE(told({historical}).selftest) << "it stands on days, not on pairs";
}

TEST_F(KnownRate, AnUnfinishedSelfTestSaysSo) {
  SelftestSummary part = summary("a", 200);
  part.wanted = 2600;
  part.commit = "`rm -rf`";
  keep(part);
  EXPECT_THAT(told({compared()}).selftest->of, EndsWith("commit unknown, 2026-11-23, 250 of its 2600 comparisons so far"));
}

TEST_F(KnownRate, DamagedLinesAreLeftOutAndTakeNoOtherAlong) {
  keep(summary("a", 200));
  std::ofstream(selftests_of(config_), std::ios::app)
      << "my notes\n{\"schema\":\"fuselab.selftest-summary/1\",\"id\":7}\n{\"schema\":\"fus";
  keep(summary("b", 100));
  EXPECT_EQ(kept_summaries(selftests_of(config_)).size(), 2U);
  SelftestSummary impossible = summary("c", 10, 90);
  keep(impossible);
  EXPECT_EQ(kept_summaries(selftests_of(config_))[2].false_alarms.trials, 0);
  EXPECT_EQ(told({compared()}).false_alarms->trials, 300);
}

TEST_F(KnownRate, WhereNothingCanBeKeptThatIsSaid) {
  std::filesystem::create_directories(folder_);
  std::ofstream(folder_ / "fuselab") << "a file in the folder's place";
  const Status kept = keep_summary(selftests_of(config_), summary("a", 200));
  ASSERT_FALSE(kept.ok());
  EXPECT_EQ(kept.error().code, ErrorCode::kIo);
  EXPECT_THAT(kept.error().message, HasSubstr("later verdicts do not know of this self-test"));
  EXPECT_TRUE(keep_summary({}, summary("a", 200)).ok()) << "nobody asked to keep it";
  EXPECT_THAT(kept_summaries(selftests_of(config_)), testing::IsEmpty());
}

}  // namespace
}  // namespace fuselab::engine
