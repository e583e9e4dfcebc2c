// SPDX-License-Identifier: Apache-2.0
// Names, tags, notes and pins of runs, and the environment card that is read from a run's rows.
#include <algorithm>

#include "db/connection/migrations.h"
#include "tests/unit/db/db_fixture.h"

namespace fuselab::db {
namespace {

class RunMarksTest : public DatabaseTest {
 protected:
  static testing::SyntheticTrials world() {
    testing::SyntheticTrials world;
    world.count = 40;
    world.synthetic_share = 0;
    return world;
  }
  static Status fill(Database& database) { return testing::fill_with_synthetic_trials(database.store(), world()); }
  static std::string run_id() { return testing::synthetic_basis(world()).runs.front().id; }
  static Status mark(Database& database, const RunMarks& marks) {
    StoreBatch batch;
    batch.run_marks.emplace_back(run_id(), marks);
    return database.store().commit(batch);
  }
  static RunMarks marks_of(Database& database) {
    const auto catalog = database.queries().catalog();
    EXPECT_TRUE(succeeded(catalog));
    return catalog.ok() && !catalog.value().runs.empty() ? catalog.value().runs.front().marks : RunMarks();
  }
  const RunMarks marks_{"before the \"upgrade\"\n", {"avx512", "nightly"}, "two\nlines", true};
};

TEST_F(RunMarksTest, AreReadAsTheyWereStoredAndLeaveNoRowWhenEmpty) {
  {
    auto database = open();
    ASSERT_TRUE(database);
    ASSERT_TRUE(fill(*database).ok());
    EXPECT_EQ(marks_of(*database), RunMarks()) << "a run begins without any";
    ASSERT_TRUE(mark(*database, marks_).ok());
    EXPECT_EQ(marks_of(*database), marks_);
    StoreBatch ended = testing::synthetic_basis(world());
    ended.runs.front().state = "interrupted";
    ASSERT_TRUE(database->store().commit(ended).ok());
    EXPECT_EQ(marks_of(*database), marks_) << "a job that ends keeps what was said of it meanwhile";
    ASSERT_TRUE(database->gc(Bytes{0}).ok());
    EXPECT_EQ(marks_of(*database), marks_);
    EXPECT_TRUE(database->verify().value().sound());
  }
  { EXPECT_EQ(marks_of(*open(Access::kRead)), marks_); }
  ASSERT_TRUE(mark(*open(), RunMarks()).ok());
  SQLite::Database shell(path().string());
  EXPECT_EQ(shell.execAndGet("SELECT count(*) FROM run_mark").getInt(), 0);
}

TEST_F(RunMarksTest, OfARunThatIsNotThereAreRefused) {
  auto database = open();
  ASSERT_TRUE(database);
  const Status refused = mark(*database, marks_);
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.error().code, ErrorCode::kInvalidArgument);
}

TEST_F(RunMarksTest, AreMergedButPinsAreNot) {
  {
    auto theirs = open(Access::kWrite, "theirs.db");
    ASSERT_TRUE(theirs);
    ASSERT_TRUE(fill(*theirs).ok());
    ASSERT_TRUE(mark(*theirs, marks_).ok());
  }
  auto database = open();
  ASSERT_TRUE(database);
  ASSERT_TRUE(succeeded(database->merge(path("theirs.db"))));
  RunMarks expected = marks_;
  expected.pinned = false;
  EXPECT_EQ(marks_of(*database), expected);
  ASSERT_TRUE(mark(*database, {"mine", {}, "", true}).ok());
  ASSERT_TRUE(succeeded(database->merge(path("theirs.db"))));
  EXPECT_EQ(marks_of(*database).name, "mine") << "what is said here stays";
}

TEST_F(RunMarksTest, DamagedTagsHideNoRunAndAreNamed) {
  {
    auto database = open();
    ASSERT_TRUE(database);
    ASSERT_TRUE(fill(*database).ok());
    ASSERT_TRUE(mark(*database, marks_).ok());
  }
  edit("UPDATE run_mark SET tags = '[1', pinned = 7");
  auto database = open(Access::kRead);
  ASSERT_TRUE(database);
  EXPECT_TRUE(marks_of(*database).tags.empty());
  const auto report = database->verify();
  ASSERT_TRUE(succeeded(report));
  const auto& problems = report.value().problems;
  const auto says = [&](const char* words) {
    return std::any_of(problems.begin(), problems.end(), [&](const std::string& problem) { return problem.ends_with(words); });
  };
  EXPECT_TRUE(says("has tags that are no list of texts"));
  EXPECT_TRUE(says("has a pin that is neither yes nor no"));
}

TEST_F(RunMarksTest, DatabasesOfEachEarlierSchemaHaveNoneAndTakeThem) {
  for (int from = 1; from < kSchemaOfRunMarks; ++from) {
    const std::string name = "schema_" + std::to_string(from) + ".db";
    {
      { SQLite::Database(path(name).string(), SQLite::OPEN_READWRITE | SQLite::OPEN_CREATE); }
      migrate(*Connection::open(path(name), Connection::Mode::kReadWrite), 0, from);
    }
    edit("INSERT INTO run VALUES (1, '" + run_id() + "', 'tune', 'tune w3', '0.1', 'finished', 1, 2, 'h', 'measured-here')", name);
    {
      auto reader = open(Access::kRead, name);
      ASSERT_TRUE(reader) << from;
      EXPECT_EQ(marks_of(*reader), RunMarks()) << from;
      EXPECT_TRUE(succeeded(reader->run_card(run_id()))) << from;
    }
    {
      auto merged = open(Access::kWrite, "merged_" + name);
      ASSERT_TRUE(merged) << from;
      EXPECT_TRUE(succeeded(merged->merge(path(name)))) << from;
    }
    auto database = open(Access::kWrite, name);
    ASSERT_TRUE(database) << from;
    ASSERT_TRUE(mark(*database, marks_).ok()) << from;
    EXPECT_EQ(marks_of(*database), marks_) << from;
  }
}

TEST_F(RunMarksTest, TheCardSaysWhereAndHowARunWasMeasured) {
  auto database = open();
  ASSERT_TRUE(database);
  ASSERT_TRUE(fill(*database).ok());
  StoreBatch batch;
  CompiledKernel kernel = testing::synthetic_kernel(1);
  TrialRecord trial = testing::synthetic_trial(world(), 0);
  trial.id = "one-more";
  trial.block_id = "block-of-it";
  trial.kernel_keys = {kernel.kernel_id()};
  trial.plan_key = plan_key_of(trial.kernel_keys);
  trial.synthetic = false;
  testing::set_median(trial, 1000);
  trial.result.outcome = Outcome::kTimed;
  trial.result.reason = "disturbed while timing: 9 involuntary context switches";
  BlockConditions conditions;
  conditions.wall_seconds = 2.5;
  conditions.involuntary_switches = 9;
  conditions.load = 1.25;
  batch.kernels = {kernel};
  batch.trials = {trial};
  batch.blocks = {{trial.block_id, conditions}};
  ASSERT_TRUE(database->store().commit(batch).ok());
  const auto card = database->run_card(trial.run_id);
  ASSERT_TRUE(succeeded(card));
  EXPECT_EQ(card.value().environments.size(), static_cast<std::size_t>(world().devices));
  EXPECT_EQ(card.value().environments.front().second.host, testing::synthetic_basis(world()).environments.front().host);
  EXPECT_FALSE(card.value().metrics.empty());
  ASSERT_EQ(card.value().software.size(), 1U);
  EXPECT_FALSE(card.value().software.front().first.empty());
  std::int64_t trials = 0;
  for (const auto& [outcome, count] : card.value().outcomes) trials += count;
  EXPECT_EQ(trials, world().count + 1);
  EXPECT_EQ(card.value().disturbed, 1);
  EXPECT_EQ(card.value().conditions.blocks, 1);
  EXPECT_EQ(card.value().conditions.timed_seconds, 2.5);
  EXPECT_EQ(card.value().conditions.involuntary_switches, 9);
  EXPECT_EQ(card.value().conditions.load_high, 1.25);
  EXPECT_TRUE(failed_with(database->run_card("nosuch"), ErrorCode::kNotFound, "not stored"));
}

}  // namespace
}  // namespace fuselab::db
