// SPDX-License-Identifier: Apache-2.0
// What becomes of searches that a job's budget does not reach, and which searches a later job goes on with.
#include <SQLiteCpp/Database.h>
#include <SQLiteCpp/Statement.h>

#include <algorithm>
#include <map>
#include <regex>
#include <set>

#include "tests/faults/support/engine_fixture.h"

namespace fuselab {
namespace {

const std::string kAddRelu = "graph(i0: f32[64,512], p0: param f32[512]) { v0 = Add(i0, p0); v1 = Relu(v0); return v1 }";
const std::string kMulTanh = "graph(i0: f32[64,1024], p0: param f32[1024]) { v0 = Mul(i0, p0); v1 = Tanh(v0); return v1 }";
constexpr double kTooLittle = 0.01;

class SearchBudget : public EngineTest {
 protected:
  static engine::JobSpec tune(std::vector<std::string> subjects, double seconds) {
    engine::JobSpec spec;
    spec.verb = engine::JobSpec::Verb::kTune;
    spec.subjects = std::move(subjects);
    spec.devices.only = {"null:0"};
    spec.strategy = "random";
    spec.budget_trials = 8;
    spec.budget_seconds = seconds;
    return spec;
  }

  struct Done {
    int trials = 0;  // measured
    std::string log;
    std::set<std::string> searched;                           // piece keys with trials while tuning
    std::map<std::string, std::set<std::string>> last_pairs;  // piece key → configurations
  };
  Done run(const engine::JobSpec& spec) {
    Done done;
    const auto job = engine_->start(spec);
    EXPECT_TRUE(job.ok()) << job.error().message;
    if (!job.ok()) return done;
    bool tuning = false;
    for (bool ended = false; !ended;) {
      ended = job.value()->wait_for(std::chrono::milliseconds(1));
      for (const engine::Event& event : job.value()->drain()) {
        if (const auto* progress = std::get_if<engine::JobProgress>(&event)) tuning = progress->phase == "tuning";
        if (const auto* line = std::get_if<engine::LogLine>(&event)) done.log += line->text + "\n";
        const auto* trial = std::get_if<engine::TrialFinished>(&event);
        if (trial == nullptr) continue;
        if (tuning) done.searched.insert(trial->row.piece_key);
        done.last_pairs[trial->row.piece_key].insert(trial->row.config);
      }
    }
    EXPECT_TRUE(job.value()->result().ok()) << job.value()->result().error().message;
    done.trials = job.value()->last_progress().trials;
    return done;
  }
};

TEST_F(SearchBudget, ATinyBudgetSearchesOnceAndSaysWhatItLeftOut) {
  const auto first = run(tune({kAddRelu, kMulTanh}, kTooLittle));
  EXPECT_EQ(first.searched.size(), 1U) << "no search begins once the budget is spent";
  EXPECT_NE(first.log.find("ended before 5 of 6 searches had their turn; --budget "), std::string::npos) << first.log;
}

// The scripted device answers in 2 µs what the processor takes dozens for, however many cores it has: there is one task in it.
TEST_F(SearchBudget, IsNotSpentOnADeviceThatCannotWin) {
  engine::JobSpec spec = tune({"graph(i0: f64[4096]) { v0 = Asinh(i0); return v0 }"}, 20);
  spec.verb = engine::JobSpec::Verb::kRun;
  spec.devices.only = {"null:0", "cpu:0"};
  spec.budget_trials = 4;
  spec.decide_gains = false;
  const auto first = run(spec);
  EXPECT_NE(first.log.find("not tuned: Asinh on cpu:0: "), std::string::npos) << first.log;
  EXPECT_NE(first.log.find("null:0's "), std::string::npos) << first.log;
  engine::CompareSpec compared;
  compared.subjects = spec.subjects;
  compared.devices = spec.devices;
  const auto tables = engine_->compare(compared);
  ASSERT_TRUE(tables.ok()) << tables.error().message;
  for (const engine::CompareCell& cell : tables.value().front().rows.front().cells)
    EXPECT_EQ(cell.given_up.empty(), cell.device_id == "null:0") << cell.device_id << ": " << cell.given_up;

  const auto again = run(spec);
  EXPECT_EQ(again.trials, 0);
  EXPECT_NE(again.log.find("except where a device cannot win (pairs of a piece and a device: 1)"), std::string::npos) << again.log;
}

TEST_F(SearchBudget, TheSameJobAgainMeasuresNothingWhateverItDidNotReach) {
  for (const auto verb : {engine::JobSpec::Verb::kTune, engine::JobSpec::Verb::kRun}) {
    engine::JobSpec spec = tune({kAddRelu, kMulTanh}, verb == engine::JobSpec::Verb::kTune ? kTooLittle : 2 * kTooLittle);
    spec.verb = verb;
    EXPECT_GT(run(spec).trials, 0);
    const auto again = run(spec);
    EXPECT_EQ(again.trials, 0);
    // A fast machine tunes the first of them within its budget.
    EXPECT_TRUE(std::regex_search(again.log, std::regex("before [12] of 2 pieces were tuned"))) << again.log;
  }
}

TEST_F(SearchBudget, WhatWasNeverReachedIsSearchedForFewerSubjectsWithTheSameBudget) {
  run(tune({kAddRelu, kMulTanh}, kTooLittle));
  int searches = 0;
  for (const std::string& subject : {kAddRelu, kMulTanh}) {
    const auto alone = run(tune({subject}, kTooLittle));
    searches += alone.trials > 0 ? 1 : 0;
    EXPECT_EQ(run(tune({subject}, kTooLittle)).trials, 0);
  }
  EXPECT_GE(searches, 1) << "the one whose turn had not come";
  const auto all = run(tune({kAddRelu, kMulTanh}, 60));
  EXPECT_GT(all.trials, 0);
  EXPECT_EQ(all.log.find("turn"), std::string::npos) << all.log;
  EXPECT_NE(run(tune({kAddRelu, kMulTanh}, 60)).log.find("All pieces are tuned for this budget already"), std::string::npos);
}

TEST_F(SearchBudget, APieceThatTheBudgetTearsIsTunedOnNeitherSide) {
  engine::JobSpec bench = tune({kAddRelu}, 60);
  bench.verb = engine::JobSpec::Verb::kBench;
  bench.remeasure = true;
  const auto untuned = run(bench).last_pairs;
  run(tune({kAddRelu}, kTooLittle));
  EXPECT_EQ(run(bench).last_pairs, untuned);
  run(tune({kAddRelu}, 60));
  const auto tuned = run(bench).last_pairs;
  EXPECT_NE(tuned, untuned);
  engine::JobSpec more = tune({kAddRelu}, kTooLittle);
  more.strategy = "evolutionary";
  run(more);
  EXPECT_EQ(run(bench).last_pairs.size(), tuned.size());
  EXPECT_NE(run(bench).last_pairs, untuned) << "what was tuned stays so, whatever another search does not reach";
}

TEST_F(SearchBudget, AnotherStrategyOrSeedIsAnotherSearch) {
  engine::JobSpec spec = tune({kAddRelu}, 60);
  run(spec);
  EXPECT_EQ(run(spec).trials, 0);
  spec.seed = 9;
  EXPECT_GT(run(spec).trials, 0);
  EXPECT_EQ(run(spec).trials, 0);
  spec.strategy = "exhaustive";
  EXPECT_GT(run(spec).trials, 0);
  EXPECT_EQ(run(spec).trials, 0);
}

TEST_F(SearchBudget, WinnersThatAKillKeptFromBeingMeasuredAreMeasuredByTheNextJob) {
  const engine::JobSpec spec = tune({kAddRelu}, 60);
  run(spec);
  TrialFilter filter;
  filter.include_synthetic = true;
  filter.metric_key = metric_of(spec.protocol).key().hex();  // a search confirms its own by another
  const auto winners = [&] {
    auto rows = engine_->queries().page(filter, TrialOrder::kOldestFirst, 0, 100);
    std::set<std::string> configs;
    for (const TrialRow& row : rows.value()) {
      if (row.retimed) configs.insert(row.config);
    }
    return configs;
  };
  const auto undisturbed = winners();
  ASSERT_EQ(undisturbed.size(), 2U) << "fused and unfused";
  SQLite::Database((folder_ / "results.db").string(), SQLite::OPEN_READWRITE)
      .exec("DELETE FROM choice; DELETE FROM trial WHERE id IN (SELECT id FROM trials WHERE retimed = 1 AND metric_key = '" +
            filter.metric_key + "')");
  ASSERT_TRUE(winners().empty());
  EXPECT_EQ(run(spec).trials, 2);
  EXPECT_EQ(winners(), undisturbed);
  EXPECT_EQ(run(spec).trials, 0);
}

// On the synthetic device a launch takes 2 µs and what is moved: of small tensors all configurations are equal within 1 %.
TEST_F(SearchBudget, ATieKeepsTheDefaultAndAWinnerTakesItsPlaceAndBothAreSaid) {
  const std::string tie = "graph(i0: f32[2,8]) { v0 = Tanh(i0); return v0 }",
                    win = "graph(i0: f32[64,1024]) { v0 = Tanh(i0); return v0 }";
  const std::string both = run(tune({tie, win}, 60)).log;
  EXPECT_TRUE(std::regex_search(
      both, std::regex("a=0,b=0\\S* stays: a=\\d,b=\\d\\S* is as fast within 1%: [01].\\d\\dx \\[.*\\] \\(5 processes\\)")))
      << both;
  EXPECT_TRUE(std::regex_search(both, std::regex("is [1-9].\\d\\dx faster \\[.*\\] than a=0,b=0\\S*, which the search began with")))
      << both;
  SQLite::Database shell((folder_ / "results.db").string());
  SQLite::Statement rows(
      shell, "SELECT best_config, json_extract(decision, '$.verdict'), json_extract(decision, '$.baseline') FROM tuning");
  int kept = 0, taken = 0;
  while (rows.executeStep()) {
    const bool same = rows.getColumn(0).getString() == rows.getColumn(2).getString();
    EXPECT_EQ(same, rows.getColumn(1).getString() == "equivalent");
    ++(same ? kept : taken);
  }
  EXPECT_EQ(kept, 1);
  EXPECT_EQ(taken, 1);
}

}  // namespace
}  // namespace fuselab
