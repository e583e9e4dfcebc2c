// SPDX-License-Identifier: Apache-2.0
#include "app/engine/compare/runs/run_diff.h"

#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <fstream>

#include "app/engine/compare/runs/run_list.h"
#include "db/database.h"
#include "tests/support/run_of_kernels.h"

namespace fuselab::engine {
namespace {

using testing::run_of_kernels;
using testing::RunKernel;
using testing::unchanged_kernels;

// Databases in a folder of their own, filled through the store.
class RunDiffTest : public ::testing::Test {
 protected:
  void SetUp() override {
    folder_ = std::filesystem::path(::testing::TempDir()) /
              ("run-diff-" + std::string(::testing::UnitTest::GetInstance()->current_test_info()->name()));
    std::filesystem::remove_all(folder_);
    std::filesystem::create_directories(folder_);
    config_.key_directory = folder_ / "keys";
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  void store(const std::string& file, const std::string& run_id, const std::vector<RunKernel>& kernels,
             const std::string& host = {}) {
    auto database = db::Database::open(folder_ / file, db::Access::kWrite, std::make_shared<db::Trust>(config_.key_directory));
    ASSERT_TRUE(database.ok()) << database.error().message;
    const Status stored = database.value()->store().commit(run_of_kernels(run_id, kernels, host));
    ASSERT_TRUE(stored.ok()) << stored.error().message;
  }
  std::unique_ptr<ResultQueries> open(const std::string& file) {
    auto opened = open_other_database(config_, folder_ / file);
    EXPECT_TRUE(opened.ok()) << (opened.ok() ? "" : opened.error().message);
    return opened.ok() ? std::move(opened).value() : nullptr;
  }

  Config config_;
  std::filesystem::path folder_;
};

TEST_F(RunDiffTest, FindsAChangeAcrossDatabasesBesideWhatDidNotChange) {
  std::vector<RunKernel> before = unchanged_kernels(1), after = unchanged_kernels(1.1);
  before.push_back({8, "old", 1000, false});
  after.push_back({8, "new", 1650, false});
  before.push_back({9, "gone", 1000, false});
  store("before.db", "run-1", before);
  store("after.db", "run-2", after);
  const auto first = open("before.db"), second = open("after.db");
  const auto diff = diff_runs({first.get(), "run-1"}, {second.get(), "run-2"}, false);
  ASSERT_TRUE(diff.ok()) << diff.error().message;
  ASSERT_EQ(diff.value().rows.size(), 9U);
  ASSERT_EQ(diff.value().apart.strata.size(), 1U);
  EXPECT_EQ(diff.value().apart.strata.front().controls, 8);
  EXPECT_NEAR(diff.value().apart.strata.front().drift, 1.1, 0.005);
  EXPECT_EQ(diff.value().only_before, 1);
  EXPECT_EQ(diff.value().only_after, 0);
  EXPECT_EQ(diff.value().rows.back().result.verdict, Verdict::kSame);
  const DiffRow& slower = diff.value().rows.front();
  EXPECT_FALSE(slower.same_kernel);
  EXPECT_EQ(slower.result.verdict, Verdict::kRegressed);
  EXPECT_NEAR(slower.result.without_drift.value(), 1.5, 0.02);
  EXPECT_FALSE(slower.after.samples.empty());
  EXPECT_TRUE(diff.value().environment.empty()) << "both were measured in the same one";
}

// The first device stayed as it was and the second was clocked down: a kernel of the second that changed did what its device did.
TEST_F(RunDiffTest, EachDeviceAndModeHasADriftOfItsOwn) {
  std::vector<RunKernel> before = unchanged_kernels(1), after = unchanged_kernels(1.001);
  for (const RunKernel& kernel : unchanged_kernels(1, 1)) before.push_back(kernel);
  for (const RunKernel& kernel : unchanged_kernels(1.05, 1)) after.push_back(kernel);
  before.push_back({8, "old", 1000, false, 1});
  after.push_back({8, "new", 1050, false, 1});
  before.push_back({9, "old", 1000, false, 0, true});
  after.push_back({9, "new", 1050, false, 0, true});
  store("before.db", "run-1", before);
  store("after.db", "run-2", after);
  const auto first = open("before.db"), second = open("after.db");
  const auto diff = diff_runs({first.get(), "run-1"}, {second.get(), "run-2"}, false);
  ASSERT_TRUE(diff.ok()) << diff.error().message;
  const std::vector<StratumDrift>& strata = diff.value().apart.strata;
  ASSERT_EQ(strata.size(), 3U);
  EXPECT_EQ(strata[0].stratum, "null:0, warm");
  EXPECT_NEAR(strata[0].drift, 1.001, 0.003);
  EXPECT_EQ(strata[1].stratum, "null:1, warm");
  EXPECT_NEAR(strata[1].drift, 1.05, 0.003);
  EXPECT_EQ(strata[2].stratum, "null:0, cold");
  EXPECT_FALSE(strata[2].enough) << "warm kernels are no controls of a cold one";
  for (const DiffRow& row : diff.value().rows) {
    EXPECT_NE(row.result.verdict, Verdict::kRegressed) << row.name << " on " << row.device_id;
    if (row.same_kernel || row.metric.mode == CacheMode::kCold) continue;
    ASSERT_TRUE(row.result.without_drift.has_value());
    EXPECT_NEAR(*row.result.without_drift, 1, 0.005);
    EXPECT_TRUE(std::isfinite(row.result.interval.high)) << "it was judged";
  }
  EXPECT_NE(diff.value().rows.front().result.reason.find("no kernel is the very same in both runs on null:0, cold"),
            std::string::npos)
      << diff.value().rows.front().result.reason;
}

TEST_F(RunDiffTest, AConfirmedFigureStandsForTheFastest) {
  store("a.db", "run-1", {{0, "p", 900, false}, {0, "p", 1000, true}, {0, "q", 950, false}});
  store("a.db", "run-2", {{0, "p", 2000, false}, {0, "q", 1900, false}});
  const auto queries = open("a.db");
  const auto diff = diff_runs({queries.get(), "run-1"}, {queries.get(), "run-2"}, false);
  ASSERT_TRUE(diff.ok()) << diff.error().message;
  ASSERT_EQ(diff.value().rows.size(), 1U);
  const DiffRow& row = diff.value().rows.front();
  EXPECT_TRUE(row.before.confirmed);
  EXPECT_NEAR(row.before.median_ns, 1000, 1);
  EXPECT_EQ(row.before.trials, 3);
  EXPECT_FALSE(row.after.confirmed);
  EXPECT_NEAR(row.after.median_ns, 1900, 1);
  EXPECT_FALSE(row.same_kernel);
  EXPECT_EQ(row.result.verdict, Verdict::kInconclusive) << "nothing is the same in both";
}

// A search times its challengers again in a fresh process, too. One that lost is no figure of the run, however fast or slow it was.
TEST_F(RunDiffTest, AChallengerThatLostItsComparisonIsNoRow) {
  std::vector<RunKernel> before = unchanged_kernels(1), after = unchanged_kernels(1);
  before.push_back({8, "known", 1990, true});
  after.push_back({8, "known", 1900, true, 0, false, true});
  after.push_back({8, "challenger", 2600, true, 0, false, true});
  after.push_back({8, "known", 1920, true});
  before.push_back({8, "known", 1980, true, 0, false, true});
  store("a.db", "run-1", before);
  store("a.db", "run-2", after);
  const auto queries = open("a.db");
  const auto diff = diff_runs({queries.get(), "run-1"}, {queries.get(), "run-2"}, false);
  ASSERT_TRUE(diff.ok()) << diff.error().message;
  ASSERT_EQ(diff.value().rows.size(), 9U);
  for (const DiffRow& row : diff.value().rows)
    EXPECT_EQ(row.result.verdict, Verdict::kSame) << row.name << ": " << row.after.config;
}

TEST_F(RunDiffTest, TrialsOfASearchAloneAreNotJudged) {
  std::vector<RunKernel> before = unchanged_kernels(1), after = unchanged_kernels(1);
  before.push_back({8, "known", 1000, true});
  after.push_back({8, "challenger", 3000, true, 0, false, true});
  store("a.db", "run-1", before);
  store("a.db", "run-2", after);
  const auto queries = open("a.db");
  const auto diff = diff_runs({queries.get(), "run-1"}, {queries.get(), "run-2"}, false);
  ASSERT_TRUE(diff.ok()) << diff.error().message;
  ASSERT_EQ(diff.value().rows.size(), 9U);
  const DiffRow& row = diff.value().rows.back();
  EXPECT_FALSE(row.is_judged());
  EXPECT_TRUE(row.before.is_final());
  EXPECT_FALSE(row.after.is_final());
  EXPECT_EQ(row.after.trials, 1);
  EXPECT_EQ(row.result.verdict, Verdict::kInconclusive);
  EXPECT_EQ(row.result.reason, "not measured to the end: the run after has trials of a search only, and those decide nothing");
  EXPECT_EQ(diff.value().apart.kernels.size(), 8U);
  EXPECT_EQ(diff.value().only_before + diff.value().only_after, 0);
}

TEST_F(RunDiffTest, AnotherMachineIsNamedAndNotJudged) {
  store("here.db", "run-1", unchanged_kernels(1));
  store("there.db", "run-2", unchanged_kernels(3), "another host");
  const auto first = open("here.db"), second = open("there.db");
  const auto diff = diff_runs({first.get(), "run-1"}, {second.get(), "run-2"}, false);
  ASSERT_TRUE(diff.ok()) << diff.error().message;
  EXPECT_TRUE(diff.value().apart.strata.empty());
  EXPECT_EQ(diff.value().rows.front().machine, "machine");
  EXPECT_EQ(diff.value().rows.front().result.verdict, Verdict::kInconclusive);
  ASSERT_EQ(diff.value().environment.size(), 1U);
  EXPECT_EQ(diff.value().environment.front().after, "another host");
}

// A job that was refused, in a file of an older version, is a run without trials.
TEST_F(RunDiffTest, ListsTheRunsThatHaveTrials) {
  EXPECT_TRUE(list_runs(config_, folder_ / "none.db", false).value().empty());
  store("a.db", "refused", {});
  store("a.db", "run-1", {{0, "p", 900, false}, {0, "p", 1000, true}, {0, "q", 950, false, 1}});
  const auto runs = list_runs(config_, folder_ / "a.db", false);
  ASSERT_TRUE(runs.ok()) << runs.error().message;
  ASSERT_EQ(runs.value().size(), 1U);
  EXPECT_EQ(runs.value().front().run.id, "run-1");
  EXPECT_EQ(runs.value().front().label(), "tune · null, null:1 · 3 trials");
  ListedRun named = runs.value().front();
  named.subjects = {"small_cnn batch=8"};
  named.devices = {"cpu:0", "onednn:0"};
  named.trials = 273;
  EXPECT_EQ(named.label(), "small_cnn batch=8 · cpu, onednn · 273 trials");
  named.subjects = {"resnet50", "bert-layer", "llama-layer", "llama-decode"};
  EXPECT_EQ(named.label(), "resnet50, bert-layer and 2 more · cpu, onednn · 273 trials");
}

TEST_F(RunDiffTest, SaysWhatIsNotThere) {
  store("a.db", "run-1", unchanged_kernels(1));
  const auto queries = open("a.db");
  EXPECT_EQ(diff_runs({queries.get(), "run-1"}, {queries.get(), "run-7"}, false).error().code, ErrorCode::kNotFound);
  EXPECT_EQ(open_other_database(config_, folder_ / "none.db").error().code, ErrorCode::kNotFound);
  std::ofstream(folder_ / "text.db") << "no database, but words that are long enough to be looked at";
  EXPECT_EQ(open_other_database(config_, folder_ / "text.db").error().code, ErrorCode::kCorrupt);
  EXPECT_FALSE(std::filesystem::exists(folder_ / "none.db")) << "looking makes nothing";
}

}  // namespace
}  // namespace fuselab::engine
