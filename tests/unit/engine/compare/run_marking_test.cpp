// SPDX-License-Identifier: Apache-2.0
#include "app/engine/compare/runs/run_marking.h"

#include <gtest/gtest.h>

#include <filesystem>

#include "app/engine/compare/runs/run_choice.h"
#include "db/database.h"
#include "tests/support/run_of_kernels.h"

namespace fuselab::engine {
namespace {

ListedRun listed(const std::string& id, const std::vector<std::string>& subjects, const std::string& name = {},
                 bool pinned = false) {
  ListedRun run;
  run.run.id = id;
  run.run.command = "fuselab tune " + id;
  run.run.marks.name = name;
  run.run.marks.pinned = pinned;
  run.subjects = subjects;
  run.devices = {"cpu:0"};
  run.trials = 3;
  return run;
}

TEST(RunChoice, FindsARunByItsIdItsNameAndTheBeginningOfItsId) {
  const std::vector<ListedRun> runs{listed("aaaa1111", {}), listed("bbbb2222", {}, "nightly"), listed("bbbb3333", {}, "twice"),
                                    listed("cccc4444", {}, "twice")};
  EXPECT_EQ(find_run(runs, "latest").value(), 0U);
  EXPECT_EQ(find_run(runs, "bbbb3333").value(), 2U);
  EXPECT_EQ(find_run(runs, "nightly").value(), 1U);
  EXPECT_EQ(find_run(runs, "aaaa").value(), 0U);
  EXPECT_EQ(find_run(runs, "aaa").error().code, ErrorCode::kNotFound) << "too short to be the beginning of an id";
  EXPECT_EQ(find_run(runs, "").error().code, ErrorCode::kNotFound);
  for (const char* several : {"bbbb", "twice"}) {
    const auto refused = find_run(runs, several);
    ASSERT_FALSE(refused.ok());
    EXPECT_EQ(refused.error().code, ErrorCode::kInvalidArgument);
    EXPECT_NE(refused.error().message.find("bbbb3333"), std::string::npos) << refused.error().message;
  }
  EXPECT_EQ(find_run({}, "latest").error().code, ErrorCode::kNotFound);
}

TEST(RunChoice, TheLatestIsTheNewestThatListsShow) {
  std::vector<ListedRun> runs{listed("scripted", {}), listed("older", {})};
  runs[0].hidden = true;
  EXPECT_EQ(find_run(runs, "latest").value(), 1U);
  EXPECT_EQ(find_run(runs, "scripted").value(), 0U) << "it is there";
  runs[1].hidden = true;
  EXPECT_NE(find_run(runs, "latest").error().message.find("scripted devices"), std::string::npos);
}

TEST(RunChoice, ComparesWithThePinnedBaselineOfTheSameModels) {
  std::vector<ListedRun> runs{listed("newest", {"w3"}), listed("other", {"resnet50"}), listed("earlier", {"w3"}),
                              listed("both", {"w3", "resnet50"}, "", true), listed("base", {"w3"}, "", true)};
  EXPECT_EQ(usual_after(runs), 0U);
  EXPECT_EQ(usual_before(runs, 0), 4U) << "the baseline of exactly these models";
  EXPECT_EQ(usual_before(runs, 1), 3U) << "the baseline of one of them";
  runs[4].run.marks.pinned = false;
  EXPECT_EQ(usual_before(runs, 0), 3U);
  runs[3].run.marks.pinned = false;
  EXPECT_EQ(usual_before(runs, 0), 2U) << "the newest earlier run of the same models";
  runs[4].run.command = runs[0].run.command + " --remeasure";
  EXPECT_EQ(usual_before(runs, 0), 4U) << "the same command";
  EXPECT_EQ(usual_before(runs, 4), std::nullopt) << "the oldest run has none";
}

TEST(RunChoice, TheNewestRunThatHasSomethingToCompareIsTheOneAfter) {
  EXPECT_EQ(usual_after({listed("a", {"w9"}), listed("b", {"w3"}), listed("c", {"w3"})}), 1U);
  EXPECT_EQ(usual_after({listed("a", {"w9"}), listed("b", {"w3"})}), 0U);
  EXPECT_EQ(usual_after({listed("a", {"w3"}), listed("base", {"w3"}, "", true)}), 0U);
}

TEST(RunChoice, ARunIsCalledAfterWhatItMeasured) {
  ListedRun run = listed("a", {"small_cnn batch=8"});
  EXPECT_EQ(run.name(), "small_cnn batch=8 · cpu · 3 trials");
  EXPECT_EQ(run.called().substr(0, run.name().size() + 6), run.name() + " · 19") << run.called();
  run.run.marks.name = "nightly";
  EXPECT_EQ(run.name(), "nightly");
  EXPECT_EQ(run.called().rfind("nightly · small_cnn batch=8 · cpu · 3 trials · ", 0), 0U) << run.called();
}

class RunMarking : public ::testing::Test {
 protected:
  void SetUp() override {
    folder_ = std::filesystem::path(::testing::TempDir()) /
              ("run-marking-" + std::string(::testing::UnitTest::GetInstance()->current_test_info()->name()));
    std::filesystem::remove_all(folder_);
    std::filesystem::create_directories(folder_);
    config_.key_directory = folder_ / "keys";
    config_.database = folder_ / "a.db";
    for (const char* id : {"run-1", "run-2"}) {
      auto database = db::Database::open(config_.database, db::Access::kWrite, std::make_shared<db::Trust>(config_.key_directory));
      ASSERT_TRUE(database.ok()) << database.error().message;
      ASSERT_TRUE(database.value()->store().commit(testing::run_of_kernels(id, {{0, "p", 900}})).ok());
    }
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  static RunChange named(const std::string& name) {
    RunChange change;
    change.name = name;
    return change;
  }
  RunMarks marks_of(const std::string& id) {
    const auto runs = list_runs(config_, config_.database, true);
    return runs.value()[find_run(runs.value(), id).value()].run.marks;
  }
  void refuses(const RunChange& change, ErrorCode code, const std::string& part) {
    const auto refused = change_run(config_, "run-1", change);
    ASSERT_FALSE(refused.ok()) << part;
    EXPECT_EQ(refused.error().code, code);
    EXPECT_NE(refused.error().message.find(part), std::string::npos) << refused.error().message;
    EXPECT_EQ(marks_of("run-1"), RunMarks()) << "a refused change changes nothing";
  }

  Config config_;
  std::filesystem::path folder_;
};

TEST_F(RunMarking, ChangesWhatIsGivenAndNothingElse) {
  RunChange change = named("before the upgrade");
  change.add_tags = {"nightly", "avx512", "nightly"};
  ASSERT_TRUE(change_run(config_, "run-1", change).ok());
  RunChange note;
  note.note = "two\nlines";
  note.remove_tags = {"nightly"};
  const auto changed = change_run(config_, "before the upgrade", note);
  ASSERT_TRUE(changed.ok()) << changed.error().message;
  EXPECT_EQ(marks_of("run-1"), (RunMarks{"before the upgrade", {"avx512"}, "two\nlines", false}));
  EXPECT_EQ(changed.value().run.run.marks, marks_of("run-1"));
  ASSERT_TRUE(change_run(config_, "run-1", named("")).ok());
  EXPECT_EQ(marks_of("run-1").name, "");
  EXPECT_EQ(marks_of("run-2"), RunMarks());
}

TEST_F(RunMarking, PinningARunUnpinsTheBaselineOfTheSameModels) {
  RunChange pin;
  pin.pinned = true;
  EXPECT_TRUE(change_run(config_, "run-1", pin).value().unpinned.empty());
  const auto second = change_run(config_, "run-2", pin);
  ASSERT_TRUE(second.ok()) << second.error().message;
  ASSERT_EQ(second.value().unpinned.size(), 1U);
  EXPECT_EQ(second.value().unpinned.front().run.id, "run-1");
  EXPECT_FALSE(marks_of("run-1").pinned);
  EXPECT_TRUE(marks_of("run-2").pinned);
}

TEST_F(RunMarking, RefusesTextsThatCannotBeShownAndNamesThatAreTaken) {
  refuses(named("two\nlines"), ErrorCode::kInvalidArgument, "not one line of plain text");
  refuses(named("\x1b[31mred"), ErrorCode::kInvalidArgument, "not one line of plain text");
  refuses(named(" padded"), ErrorCode::kInvalidArgument, "not one line of plain text");
  refuses(named(std::string(101, 'x')), ErrorCode::kInvalidArgument, "at most 100");
  refuses(named("latest"), ErrorCode::kInvalidArgument, "always means the newest run");
  RunChange change;
  change.add_tags = {"two words"};
  refuses(change, ErrorCode::kInvalidArgument, "is no word");
  change = {};
  for (int tag = 0; tag < 21; ++tag) change.add_tags.push_back("tag" + std::to_string(tag));
  refuses(change, ErrorCode::kInvalidArgument, "at most 20");
  change = {};
  change.note = "bell \a";
  refuses(change, ErrorCode::kInvalidArgument, "control characters");
  change = {};
  change.remove_tags = {"nosuch"};
  refuses(change, ErrorCode::kNotFound, "no tag 'nosuch'");
  ASSERT_TRUE(change_run(config_, "run-2", named("taken")).ok());
  refuses(named("taken"), ErrorCode::kInvalidArgument, "the name of another run, run-2");
}

TEST_F(RunMarking, ARunWhoseProcessIsGoneIsInterrupted) {
  auto writer = db::Database::open(config_.database, db::Access::kWrite, std::make_shared<db::Trust>(config_.key_directory));
  ASSERT_TRUE(writer.ok()) << writer.error().message;
  for (const char* id : {"run-3", "run-4"}) {
    StoreBatch batch = testing::run_of_kernels(id, {{0, "p", 900}});
    batch.runs.front().state = "running";
    ASSERT_TRUE(writer.value()->store().commit(batch).ok());
  }
  const auto beside = list_runs(config_, config_.database, true);
  ASSERT_TRUE(beside.ok()) << beside.error().message;
  EXPECT_EQ(beside.value()[0].run.state, "running") << "its process writes";
  EXPECT_EQ(beside.value()[1].run.state, "interrupted") << "one process writes at a time";
  writer.value().reset();
  EXPECT_EQ(list_runs(config_, config_.database, true).value()[0].run.state, "interrupted");
  const auto changed = change_run(config_, "run-4", named("killed"));
  ASSERT_TRUE(changed.ok()) << changed.error().message;
  EXPECT_EQ(changed.value().run.run.state, "interrupted") << "no other process writes while this one does";
}

TEST_F(RunMarking, OfScriptedDevicesAloneIsHiddenUnlessAskedFor) {
  {
    StoreBatch batch = testing::run_of_kernels("run-3", {{0, "p", 900}});
    for (TrialRecord& trial : batch.trials) trial.synthetic = true;
    auto database = db::Database::open(config_.database, db::Access::kWrite, std::make_shared<db::Trust>(config_.key_directory));
    ASSERT_TRUE(database.value()->store().commit(batch).ok());
  }
  EXPECT_EQ(list_runs(config_, config_.database, false).value().size(), 2U);
  ASSERT_TRUE(change_run(config_, "latest", named("shown")).ok());
  EXPECT_EQ(marks_of("run-2").name, "shown");
  config_.synthetic = true;
  ASSERT_TRUE(change_run(config_, "latest", named("scripted")).ok());
  EXPECT_EQ(marks_of("run-3").name, "scripted");
}

TEST_F(RunMarking, AWholeIdNeedsNoListAndANameIsFound) {
  ASSERT_TRUE(change_run(config_, "run-1", named("nightly")).ok());
  EXPECT_EQ(run_id_of(config_, {}, "").value(), "");
  EXPECT_EQ(run_id_of(config_, {}, "nightly").value(), "run-1");
  EXPECT_EQ(run_id_of(config_, {}, "nosuch").error().code, ErrorCode::kNotFound);
  Catalog catalog;
  catalog.runs.emplace_back().id = "elsewhere";
  EXPECT_EQ(run_id_of(config_, catalog, "elsewhere").value(), "elsewhere");
}

TEST_F(RunMarking, WritesWhereThereIsADatabaseOnly) {
  config_.database = folder_ / "none.db";
  EXPECT_EQ(change_run(config_, "latest", named("x")).error().code, ErrorCode::kNotFound);
  EXPECT_FALSE(std::filesystem::exists(config_.database));
}

TEST_F(RunMarking, ChangesNothingThatIsOnlyToBeRead) {
  config_.read_only = true;
  refuses(named("x"), ErrorCode::kUnavailable, "open for reading only");
  config_.read_only = false;
  auto writer = db::Database::open(config_.database, db::Access::kWrite, std::make_shared<db::Trust>(config_.key_directory));
  ASSERT_TRUE(writer.ok());
  refuses(named("x"), ErrorCode::kBusy, "");
}

}  // namespace
}  // namespace fuselab::engine
