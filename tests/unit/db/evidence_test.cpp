// SPDX-License-Identifier: Apache-2.0
// Which block of trials speaks for a piece.
#include "core/measure/disturbance.h"
#include "core/store/evidence_strength.h"
#include "tests/unit/db/db_fixture.h"

namespace fuselab::db {
namespace {

using Ids = std::vector<std::string>;

class Evidence : public DatabaseTest {
 protected:
  void SetUp() override {
    DatabaseTest::SetUp();
    database_ = open();
    ASSERT_TRUE(database_);
    const StoreBatch basis = testing::synthetic_basis(spec_);
    piece_ = basis.pieces[0].key;
    metric_ = basis.metrics[0].key().hex();
    environment_ = basis.environments[0].key().hex();
    ASSERT_TRUE(succeeded(database_->store().commit(basis)));
  }

  std::string add(const std::string& block, PlanKind kind, double median_ns, bool retimed, Outcome outcome = Outcome::kTimed) {
    TrialRecord trial = testing::synthetic_trial(spec_, next_++);
    trial.piece_key = piece_;
    trial.metric_key = metric_;
    trial.environment_key = environment_;
    trial.device_id = "null:0";
    trial.block_id = block;
    trial.kind = kind;
    testing::set_median(trial, median_ns);
    trial.retimed = retimed;
    trial.result.outcome = outcome;
    StoreBatch batch;
    batch.trials = {trial};
    EXPECT_TRUE(succeeded(database_->store().commit(batch)));
    return trial.id;
  }

  // A pair as a run measures it, re-timed: fused and unfused, timed in turns. `processes`: fresh ones in which the run compared
  // them.
  struct Pair {
    std::string run, plans;
    double fused_ns = 0, unfused_ns = 0;
    int processes = 0;
    std::string disturbance;
  };
  Ids add(const Pair& pair) {
    StoreBatch batch;
    RunRecord run;
    run.id = pair.run;
    batch.runs = {run};
    for (const PlanKind kind : {PlanKind::kFused, PlanKind::kUnfused}) {
      const bool fused = kind == PlanKind::kFused;
      TrialRecord trial = testing::synthetic_trial(spec_, next_++);
      trial.run_id = pair.run;
      trial.piece_key = piece_;
      trial.metric_key = metric_;
      trial.environment_key = environment_;
      trial.device_id = "null:0";
      trial.block_id = "block of " + pair.run;
      trial.kind = kind;
      trial.plan_key = pair.plans + (fused ? " fused" : " unfused");
      trial.retimed = true;
      trial.result.outcome = Outcome::kTimed;
      trial.result.reason.clear();
      note_disturbance(trial.result, pair.disturbance);
      testing::set_median(trial, fused ? pair.fused_ns : pair.unfused_ns);
      batch.trials.push_back(trial);
    }
    if (pair.processes > 0) {
      const double ratio = pair.unfused_ns / pair.fused_ns;
      batch.gains = {{piece_, "null:0", metric_, environment_, pair.plans + " fused", pair.plans + " unfused", pair.run,
                      "inconclusive", ratio, 0.9 * ratio, 1.1 * ratio, pair.processes, "", next_}};
    }
    EXPECT_TRUE(succeeded(database_->store().commit(batch)));
    Ids ids = {batch.trials[0].id, batch.trials[1].id};
    if (pair.unfused_ns < pair.fused_ns) std::swap(ids[0], ids[1]);  // evidence comes fastest first
    return ids;
  }

  Ids ids(const std::string& run = "") {
    const auto evidence = database_->queries().evidence({piece_, "null:0", metric_, environment_}, {}, run);
    EXPECT_TRUE(succeeded(evidence));
    std::vector<std::string> found;
    for (const TrialRecord& trial : evidence.value()) found.push_back(trial.id);
    return found;
  }

  testing::SyntheticTrials spec_;
  std::int64_t next_ = 0;
  std::unique_ptr<Database> database_;
  std::string piece_, metric_, environment_;
};

TEST_F(Evidence, NothingTimedGivesNothing) {
  add("a", PlanKind::kFused, 0, false, Outcome::kCompileError);
  add("a", PlanKind::kUnfused, 50, false);
  EXPECT_EQ(ids(), Ids());
}

TEST_F(Evidence, TheFastestFusedTrialSpeaksAlone) {
  add("a", PlanKind::kFused, 100, false);
  const auto fast = add("b", PlanKind::kFused, 90, false);
  EXPECT_EQ(ids(), Ids{fast});
}

TEST_F(Evidence, ARetimedTrialBeatsAFasterOneTimedOnce) {
  add("a", PlanKind::kFused, 50, false);
  const auto again = add("b", PlanKind::kFused, 60, true);
  EXPECT_EQ(ids(), Ids{again});
}

TEST_F(Evidence, ABlockWithBothKindsBeatsARetimedTrial) {
  add("a", PlanKind::kFused, 50, true);
  const auto fused = add("b", PlanKind::kFused, 60, false), unfused = add("b", PlanKind::kUnfused, 80, false);
  EXPECT_EQ(ids(), (Ids{fused, unfused}));
}

TEST_F(Evidence, TheNewestRetimedBlockWithBothKindsBeatsAll) {
  add("a", PlanKind::kFused, 50, true);
  add("a", PlanKind::kUnfused, 70, true);
  const auto unfused = add("b", PlanKind::kUnfused, 70, true), fused = add("b", PlanKind::kFused, 60, true);
  add("c", PlanKind::kFused, 40, false);
  add("c", PlanKind::kUnfused, 45, false);
  EXPECT_EQ(ids(), (Ids{fused, unfused}));
}

TEST_F(Evidence, TrialsWithoutABlockAreNeverPaired) {
  const auto fused = add("", PlanKind::kFused, 60, false);
  add("", PlanKind::kUnfused, 80, false);
  EXPECT_EQ(ids(), Ids{fused});
}

// The attention piece of a BERT layer: `bench --remeasure` on a busy machine, in two processes, after a search had held the same
// plans against each other in seven.
TEST_F(Evidence, AWeakerLaterBlockOfTheSamePlansSpeaksForItsOwnRunAlone) {
  const Ids tuned = add({"tuned", "bert", 1'090'000, 326'000, 7, ""});
  const Ids again = add({"again", "bert", 400'000, 420'000, 2, ""});
  EXPECT_EQ(ids(), tuned);
  EXPECT_EQ(ids("again"), again) << "a job with --remeasure shows what it saw";
  EXPECT_EQ(ids("no such run"), Ids());
  const Ids strong = add({"another day", "bert", 300'000, 330'000, 12, ""});
  EXPECT_EQ(ids(), strong);
}

// The run that timed the plans was killed before it compared them; the next one served its block and did.
TEST_F(Evidence, ABlockIsAsStrongAsTheComparisonThatALaterRunMadeOfIt) {
  const Ids killed = add({"killed", "same", 100, 200, 0, ""});
  std::int64_t timed_at = 0;
  for (const std::string& id : killed) {
    const auto trial = database_->queries().trial(id);
    ASSERT_TRUE(succeeded(trial) && trial.value());
    timed_at = std::max(timed_at, trial.value()->created_unix_ms);
  }
  StoreBatch went_on;
  went_on.gains = {{piece_, "null:0", metric_, environment_, "same fused", "same unfused", "went on", "regressed", 2, 1.9, 2.1, 7,
                    "", timed_at}};
  ASSERT_TRUE(succeeded(database_->store().commit(went_on)));
  add({"again", "same", 150, 140, 2, ""});
  EXPECT_EQ(ids(), killed);
}

TEST_F(Evidence, TheNewerOfEquallyStrongBlocksSpeaks) {
  add({"older", "same", 100, 200, 5, ""});
  const Ids newer = add({"newer", "same", 110, 210, 5, ""});
  EXPECT_EQ(ids(), newer);
}

TEST_F(Evidence, ADisturbedBlockReplacesNoUndisturbedOneOfTheSamePlans) {
  const Ids quiet = add({"quiet", "same", 100, 200, 0, ""});
  add({"busy", "same", 300, 200, 12, "9 ms stolen"});
  EXPECT_EQ(ids(), quiet);
}

TEST_F(Evidence, TheNewestWinnerReplacesAnOlderOneHoweverOftenThatWasCompared) {
  add({"first search", "older winner", 100, 200, 12, ""});
  const Ids found = add({"second search", "newer winner", 80, 190, 0, "9 ms stolen"});
  EXPECT_EQ(ids(), found) << "that it is faster the search showed, in processes of its own";
  const Ids again = add({"again", "newer winner", 81, 191, 0, ""});
  EXPECT_EQ(ids(), again);
}

TEST(EvidenceStrength, IsOrderedByWhatItStandsOnAndByAgeLast) {
  const std::vector<EvidenceStrength> weakest_first = {
      {false, false, 0, false, 9}, {false, true, 40, true, 8}, {true, false, 40, true, 7},
      {true, true, 0, false, 6},   {true, true, 0, true, 5},   {true, true, 5, false, 2},
      {true, true, 5, true, 3},    {true, true, 5, true, 4},   {true, true, 6, false, 1}};
  for (std::size_t at = 1; at < weakest_first.size(); ++at) EXPECT_LT(weakest_first[at - 1], weakest_first[at]) << at;
}

}  // namespace
}  // namespace fuselab::db
