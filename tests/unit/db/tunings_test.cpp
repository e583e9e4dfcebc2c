// SPDX-License-Identifier: Apache-2.0
// Searches that have ended, and why each chose as it did.
#include "tests/unit/db/db_fixture.h"

namespace fuselab::db {
namespace {

using Tunings = DatabaseTest;

TEST_F(Tunings, GiveTheNewestOfTheirKeys) {
  auto database = open();
  ASSERT_TRUE(database);
  const TuningRecord first{"g", "cpu:0", "e", "m", "gen", "random", 2.5, 40, 12, "budget", "vector=8", 10, {}};
  TuningRecord second = first;
  second.created_unix_ms = 20;
  second.best_config = "vector=4";
  StoreBatch batch;
  batch.tunings = {second, first};
  ASSERT_TRUE(succeeded(database->store().commit(batch)));
  const auto read = database->queries().tuning({"g", "cpu:0", "m", "e"}, "gen");
  ASSERT_TRUE(succeeded(read) && read.value());
  EXPECT_EQ(read.value()->best_config, "vector=4");
  EXPECT_EQ(read.value()->budget_seconds, 2.5);
  EXPECT_EQ(read.value()->stopped, "budget");
  const auto other = database->queries().tuning({"g", "cpu:0", "m", "e"}, "another generation");
  ASSERT_TRUE(succeeded(other));
  EXPECT_FALSE(other.value().has_value());
}

TEST_F(Tunings, KeepWhyTheyChose) {
  auto database = open();
  ASSERT_TRUE(database);
  TuningRecord record{"g", "cpu:0", "e", "m", "gen", "random", 2.5, 40, 12, "budget", "vector=8", 10, {}};
  record.decision = {"vector=1", "vector=8", "improved", 0.8, 0.75, 0.85, 6, "because", true, ComparedSide::kCandidate};
  StoreBatch batch;
  batch.tunings = {record};
  ASSERT_TRUE(succeeded(database->store().commit(batch)));
  for (const char* generation : {"gen", ""}) {
    const auto read = database->queries().tuning({"g", "cpu:0", "m", "e"}, generation);
    ASSERT_TRUE(succeeded(read) && read.value()) << generation;
    const TuningDecision& decision = read.value()->decision;
    EXPECT_EQ(decision.baseline, "vector=1");
    EXPECT_EQ(decision.candidate, "vector=8");
    EXPECT_EQ(decision.verdict, "improved");
    EXPECT_EQ(decision.ratio, 0.8);
    EXPECT_EQ(decision.low, 0.75);
    EXPECT_EQ(decision.high, 0.85);
    EXPECT_EQ(decision.processes, 6);
    EXPECT_EQ(decision.reason, "because");
    EXPECT_TRUE(decision.open);
    EXPECT_EQ(decision.failed, ComparedSide::kCandidate);
  }
}

TEST_F(Tunings, ADecisionOfBeforeBlamesNeitherSide) {
  {
    auto database = open();
    ASSERT_TRUE(database);
    StoreBatch batch;
    batch.tunings = {{"g", "cpu:0", "e", "m", "gen", "random", 2.5, 40, 12, "budget", "vector=8", 10, {}}};
    ASSERT_TRUE(succeeded(database->store().commit(batch)));
  }
  edit(R"(UPDATE tuning SET decision = '{"baseline":"a","candidate":"b","verdict":"","ratio":1,"low":0,"high":0,"processes":0,)"
       R"("reason":"the machine was not fit","open":true}')");
  auto database = open();
  ASSERT_TRUE(database);
  const auto read = database->queries().tuning({"g", "cpu:0", "m", "e"}, "gen");
  ASSERT_TRUE(succeeded(read) && read.value());
  EXPECT_TRUE(read.value()->decision.open);
  EXPECT_EQ(read.value()->decision.failed, ComparedSide::kNeither);
}

TEST_F(Tunings, ADamagedDecisionIsNotKnownAndVerifyNamesIt) {
  {
    auto database = open();
    ASSERT_TRUE(database);
    StoreBatch batch;
    batch.tunings = {{"g", "cpu:0", "e", "m", "gen", "random", 2.5, 40, 12, "budget", "vector=8", 10, {}}};
    ASSERT_TRUE(succeeded(database->store().commit(batch)));
  }
  for (
      const char* text :
      {"{", R"({"baseline":7})",
       R"({"baseline":"a","candidate":"b","verdict":"best","ratio":1,"low":1,"high":1,"processes":5,"reason":"","open":false})",
       R"({"baseline":"a","candidate":"b","verdict":"improved","ratio":0,"low":1,"high":1,"processes":5,"reason":"","open":false})",
       R"({"baseline":"a","candidate":"b","verdict":"improved","ratio":1,"low":1e308,"high":0,"processes":5,"reason":"","open":false})",
       R"({"baseline":"a","candidate":"b","verdict":"improved","ratio":1,"low":1,"high":1,"processes":-5e300,"reason":"","open":false})",
       R"({"baseline":"a","candidate":"b","verdict":"","ratio":1,"low":0,"high":0,"processes":0,"reason":"","open":false,"failed":"x"})"}) {
    edit(std::string("UPDATE tuning SET decision = '") + text + "'");
    auto database = open();
    ASSERT_TRUE(database);
    const auto read = database->queries().tuning({"g", "cpu:0", "m", "e"}, "gen");
    ASSERT_TRUE(succeeded(read) && read.value()) << text;
    EXPECT_FALSE(read.value()->decision.is_known()) << text;
    EXPECT_EQ(read.value()->best_config, "vector=8");
    const auto report = database->verify();
    ASSERT_TRUE(succeeded(report));
    ASSERT_EQ(report.value().problems.size(), 1U) << text;
    EXPECT_TRUE(report.value().problems.front().starts_with("why the search of g on cpu:0 chose as it did")) << text;
  }
}

}  // namespace
}  // namespace fuselab::db
