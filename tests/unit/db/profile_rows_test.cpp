// SPDX-License-Identifier: Apache-2.0
// What collectors say of plans, kept, read and merged.
#include "tests/unit/db/db_fixture.h"

namespace fuselab::db {
namespace {

using ProfileRows = DatabaseTest;

ProfileRecord counters_of(std::int64_t created) {
  return {"trial", "w3", "plan", "cpu:0", "e", "counters", 1, R"({"rung":"software"})", 12.5, created};
}

TEST_F(ProfileRows, AnswersAreReadNewestFirstAndOnlyOfThatPlanThere) {
  auto database = open();
  ASSERT_TRUE(database);
  ProfileRecord code = counters_of(15), elsewhere = counters_of(16), other = counters_of(17);
  code.collector = "code";
  elsewhere.device_id = "cpu:1";
  other.plan_key = "another";
  StoreBatch batch;
  batch.profiles = {counters_of(10), counters_of(20), code, elsewhere, other};
  ASSERT_TRUE(succeeded(database->store().commit(batch)));
  const auto read = database->queries().profiles("plan", "cpu:0", "e");
  ASSERT_TRUE(succeeded(read));
  ASSERT_EQ(read.value().size(), 3U);
  EXPECT_EQ(read.value()[0].created_unix_ms, 20);
  EXPECT_EQ(read.value()[1].collector, "code");
  EXPECT_EQ(read.value()[0].body, R"({"rung":"software"})");
  EXPECT_EQ(read.value()[0].trial_id, "trial");
  EXPECT_EQ(read.value()[0].version, 1);
  EXPECT_EQ(read.value()[0].cost_ms, 12.5);
  EXPECT_TRUE(database->queries().profiles("", "cpu:0", "e").value().empty());
  EXPECT_EQ(database->queries().count_trials({}).value(), 0) << "none of it is a trial";
}

TEST_F(ProfileRows, AreMergedOnce) {
  {
    auto other = open(Access::kWrite, "other.db");
    ASSERT_TRUE(other);
    StoreBatch batch;
    batch.profiles = {counters_of(10)};
    ASSERT_TRUE(succeeded(other->store().commit(batch)));
  }
  auto database = open();
  ASSERT_TRUE(database);
  ASSERT_TRUE(succeeded(database->merge(path("other.db"))));
  ASSERT_TRUE(succeeded(database->merge(path("other.db"))));
  EXPECT_EQ(database->queries().profiles("plan", "cpu:0", "e").value().size(), 1U);
}

TEST_F(ProfileRows, ARowThatIsNoReportIsFound) {
  {
    auto database = open();
    ASSERT_TRUE(database);
    ProfileRecord damaged = counters_of(10);
    damaged.body = "[1";
    StoreBatch batch;
    batch.profiles = {damaged, counters_of(11)};
    ASSERT_TRUE(succeeded(database->store().commit(batch)));
  }
  auto database = open();
  ASSERT_TRUE(database);
  const auto report = database->verify();
  ASSERT_TRUE(succeeded(report));
  ASSERT_EQ(report.value().problems.size(), 1U);
  EXPECT_EQ(report.value().problems[0], "what the collector 'counters' said of plan plan is no report");
}

}  // namespace
}  // namespace fuselab::db
