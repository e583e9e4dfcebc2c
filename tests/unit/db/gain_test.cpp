// SPDX-License-Identifier: Apache-2.0
// How the plans of a piece compare, kept and read.
#include <algorithm>

#include "tests/unit/db/db_fixture.h"

namespace fuselab::db {
namespace {

using GainRows = DatabaseTest;

GainRecord gain_of_w3() {
  return {"w3", "cpu:0", "m", "e", "fused", "unfused", "run", "regressed", 1.4, 1.35, 1.45, 6, "", 10};
}

TEST_F(GainRows, TheNewestGainOfTheSamePlansIsRead) {
  auto database = open();
  ASSERT_TRUE(database);
  GainRecord older = gain_of_w3(), newer = gain_of_w3(), failed = gain_of_w3();
  newer.created_unix_ms = 20;
  newer.ratio = 1.38;
  failed.fused_plan = "other";
  failed.processes = 0;
  failed.reason = "unfused crashed: signal 11";
  StoreBatch batch;
  batch.gains = {newer, older, failed};
  ASSERT_TRUE(succeeded(database->store().commit(batch)));
  const auto read = database->queries().gain({"fused", "unfused", "cpu:0", "m", "e"});
  ASSERT_TRUE(succeeded(read) && read.value());
  const GainRecord& gain = *read.value();
  EXPECT_EQ(gain.piece_key, "w3");
  EXPECT_EQ(gain.run_id, "run");
  EXPECT_EQ(gain.verdict, "regressed");
  EXPECT_EQ(gain.ratio, 1.38);
  EXPECT_EQ(gain.low, 1.35);
  EXPECT_EQ(gain.high, 1.45);
  EXPECT_EQ(gain.processes, 6);
  EXPECT_EQ(gain.created_unix_ms, 20);
  const auto without = database->queries().gain({"other", "unfused", "cpu:0", "m", "e"});
  ASSERT_TRUE(succeeded(without) && without.value()) << "that it failed is known";
  EXPECT_FALSE(without.value()->is_known());
  EXPECT_EQ(without.value()->reason, "unfused crashed: signal 11");
  for (const PlanPairKey& other : {PlanPairKey{"fused", "unfused", "cpu:1", "m", "e"},
                                   {"fused", "unfused", "cpu:0", "cold", "e"},
                                   {"fused", "unfused", "cpu:0", "m", "elsewhere"},
                                   {"unfused", "fused", "cpu:0", "m", "e"}}) {
    const auto none = database->queries().gain(other);
    ASSERT_TRUE(succeeded(none));
    EXPECT_FALSE(none.value());
  }
}

// The attention piece of a BERT layer: after a search had shown in seven processes that its unfused plan is faster, one more
// measurement on a busy machine came to two processes and an interval that holds nearly anything.
TEST_F(GainRows, WeakerEvidenceTakesNoStrongersPlaceAndStrongerDoes) {
  auto database = open();
  ASSERT_TRUE(database);
  const auto read_after = [&](const GainRecord& added) {
    StoreBatch batch;
    batch.gains = {added};
    EXPECT_TRUE(succeeded(database->store().commit(batch)));
    const auto read = database->queries().gain({"fused", "unfused", "cpu:0", "m", "e"});
    EXPECT_TRUE(succeeded(read) && read.value());
    return read.value().value_or(GainRecord());
  };
  const GainRecord strong = {"bert", "cpu:0", "m", "e", "fused", "unfused", "tuned", "improved", 0.31, 0.29, 0.33, 7, "", 10};
  GainRecord weak = {"bert", "cpu:0", "m", "e", "fused", "unfused", "again", "inconclusive", 0.27, 0.03, 2.59, 2, "", 20};
  EXPECT_EQ(read_after(strong).run_id, "tuned");
  EXPECT_EQ(read_after(weak).run_id, "tuned") << "two processes beside seven";
  const auto of_the_run = database->queries().gain({"fused", "unfused", "cpu:0", "m", "e", "again"});
  ASSERT_TRUE(succeeded(of_the_run) && of_the_run.value());
  EXPECT_EQ(of_the_run.value()->processes, 2) << "whoever asks for one run gets what that run saw";

  GainRecord stronger = strong;
  stronger.run_id = "another day";
  stronger.ratio = 1.2, stronger.low = 1.15, stronger.high = 1.25, stronger.processes = 12, stronger.created_unix_ms = 30;
  EXPECT_EQ(read_after(stronger).run_id, "another day");

  GainRecord failed = weak;
  failed.processes = 0, failed.reason = "fused crashed: signal 11", failed.created_unix_ms = 40;
  EXPECT_FALSE(read_after(failed).is_known()) << "a plan that fails now is no plan, however often it ran before";
  weak.created_unix_ms = 50;
  EXPECT_EQ(read_after(weak).processes, 2) << "only what came after the failure counts";
}

TEST_F(GainRows, ADamagedGainIsNotKnownAndVerifyNamesIt) {
  {
    auto database = open();
    ASSERT_TRUE(database);
    StoreBatch batch;
    batch.gains = {gain_of_w3()};
    ASSERT_TRUE(succeeded(database->store().commit(batch)));
  }
  for (const char* damage : {"low = 2", "high = 1", "low = -1", "high = 9e999", "processes = -5"}) {
    edit(std::string("UPDATE gain SET low = 1.35, high = 1.45, processes = 6; UPDATE gain SET ") + damage);
    auto database = open();
    ASSERT_TRUE(database);
    const auto read = database->queries().gain({"fused", "unfused", "cpu:0", "m", "e"});
    ASSERT_TRUE(succeeded(read)) << damage;
    EXPECT_FALSE(read.value()) << damage;
    const auto report = database->verify();
    ASSERT_TRUE(succeeded(report));
    const std::vector<std::string>& problems = report.value().problems;
    EXPECT_EQ(std::count(problems.begin(), problems.end(), "the gain of w3 on cpu:0 has figures that no comparison gives"), 1)
        << damage;
  }
}

}  // namespace
}  // namespace fuselab::db
