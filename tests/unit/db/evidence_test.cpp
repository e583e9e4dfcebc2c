// SPDX-License-Identifier: Apache-2.0
// Which block of trials speaks for a piece.
#include "tests/unit/db/db_fixture.h"

namespace fuselab::db {
namespace {

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

  std::string add(const std::string& block, PlanKind kind, double median_ns, bool retimed, Outcome outcome = Outcome::kTimed,
                  const std::string& reason = "") {
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
    trial.result.reason = reason;
    StoreBatch batch;
    batch.trials = {trial};
    EXPECT_TRUE(succeeded(database_->store().commit(batch)));
    return trial.id;
  }

  std::vector<std::string> ids() {
    const auto evidence = database_->queries().evidence(piece_, "null:0", metric_, environment_);
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

using Ids = std::vector<std::string>;

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

TEST_F(Evidence, ADisturbedBlockReplacesNoneThatWasLeftAlone) {
  const auto fused = add("a", PlanKind::kFused, 60, true), unfused = add("a", PlanKind::kUnfused, 70, true);
  const char* const why = "disturbed: 3 interruptions";
  add("b", PlanKind::kFused, 50, true, Outcome::kTimed, why);
  add("b", PlanKind::kUnfused, 55, true);
  EXPECT_EQ(ids(), (Ids{fused, unfused})) << "however new and fast it is";
  const auto later = add("c", PlanKind::kFused, 65, true), with = add("c", PlanKind::kUnfused, 75, true);
  EXPECT_EQ(ids(), (Ids{later, with})) << "a newer one of equal strength does";
}

TEST_F(Evidence, ADisturbedBlockSpeaksWhereThereIsNoOther) {
  add("a", PlanKind::kFused, 60, false);
  add("a", PlanKind::kUnfused, 70, false);
  const auto fused = add("b", PlanKind::kFused, 50, true, Outcome::kTimed, "disturbed: 3 interruptions");
  const auto unfused = add("b", PlanKind::kUnfused, 55, true);
  EXPECT_EQ(ids(), (Ids{fused, unfused})) << "it is of the winners, which the first one is not";
}

TEST_F(Evidence, TrialsWithoutABlockAreNeverPaired) {
  const auto fused = add("", PlanKind::kFused, 60, false);
  add("", PlanKind::kUnfused, 80, false);
  EXPECT_EQ(ids(), Ids{fused});
}

}  // namespace
}  // namespace fuselab::db
