// SPDX-License-Identifier: Apache-2.0
// What a gain stands on: the plans of a piece are held against each other in fresh processes, once.
#include <set>

#include "db/database.h"
#include "tests/faults/support/engine_fixture.h"

namespace fuselab {
namespace {

class Gains : public EngineTest {
 protected:
  static engine::JobSpec bench() {
    engine::JobSpec spec;
    spec.verb = engine::JobSpec::Verb::kBench;
    spec.subjects = {"graph(i0: f32[64,512], p0: param f32[512]) { v0 = Add(i0, p0); v1 = Relu(v0); return v1 }"};
    spec.devices.only = {"null:0"};
    return spec;
  }

  struct Done {
    engine::JobProgress progress;
    engine::CompareCell cell;
    std::string reason;
    std::set<std::string> phases;
  };
  Done run(const engine::JobSpec& spec) {
    Done done;
    const auto job = engine_->start(spec);
    EXPECT_TRUE(job.ok()) << job.error().message;
    if (!job.ok()) return done;
    for (bool ended = false; !ended;) {
      ended = job.value()->wait_for(std::chrono::milliseconds(1));
      for (const engine::Event& event : job.value()->drain()) {
        if (const auto* progress = std::get_if<engine::JobProgress>(&event)) done.phases.insert(progress->phase);
      }
    }
    EXPECT_TRUE(job.value()->result().ok()) << job.value()->result().error().message;
    done.progress = job.value()->last_progress();
    const auto tables = job.value()->tables();
    EXPECT_EQ(tables.size(), 1U);
    if (tables.size() != 1) return done;
    done.cell = tables[0].rows.at(0).cells.at(0);
    done.reason = tables[0].rows.at(0).reason;
    return done;
  }

  // Stores that the two plans of the cell were compared in so many processes, and with this result.
  void add_gain(const engine::CompareCell& cell, double ratio, Interval interval, int processes, std::int64_t when) {
    const auto fused = engine_->queries().trial(cell.fused.figure->trial_id);
    const auto unfused = engine_->queries().trial(cell.unfused.figure->trial_id);
    ASSERT_TRUE(fused.ok() && fused.value() && unfused.ok() && unfused.value());
    const engine::Config config = config_in(folder_);
    const auto database =
        db::Database::open(config.database, db::Access::kWrite, std::make_shared<db::Trust>(config.key_directory));
    ASSERT_TRUE(database.ok()) << database.error().message;
    GainRecord record;
    record.piece_key = fused.value()->piece_key;
    record.device_id = fused.value()->device_id;
    record.metric_key = fused.value()->metric_key;
    record.environment_key = fused.value()->environment_key;
    record.run_id = fused.value()->run_id;
    record.fused_plan = fused.value()->plan_key;
    record.unfused_plan = unfused.value()->plan_key;
    record.verdict = "inconclusive";
    record.ratio = ratio;
    record.low = interval.low;
    record.high = interval.high;
    record.processes = processes;
    record.created_unix_ms = when;
    StoreBatch batch;
    batch.gains.push_back(record);
    const Status stored = database.value()->store().commit(batch);
    ASSERT_TRUE(stored.ok()) << stored.error().message;
  }

  engine::CompareRow stored_row() {
    engine::CompareSpec compared;
    compared.subjects = bench().subjects;
    compared.devices = bench().devices;
    const auto tables = engine_->compare(compared);
    EXPECT_TRUE(tables.ok() && tables.value().size() == 1);
    return tables.ok() && tables.value().size() == 1 ? tables.value()[0].rows.at(0) : engine::CompareRow();
  }
};

TEST_F(Gains, StandOnFreshProcessesAndAreAskedForOnce) {
  const auto first = run(bench());
  ASSERT_TRUE(first.cell.gain);
  EXPECT_GE(first.cell.gain_processes, 5);
  EXPECT_LE(first.cell.gain->interval.low, first.cell.gain->value);
  EXPECT_GE(first.cell.gain->interval.high, first.cell.gain->value);
  EXPECT_NE(first.reason.find(" in " + std::to_string(first.cell.gain_processes) + " processes"), std::string::npos)
      << first.reason;
  EXPECT_GT(first.progress.deciding_seconds, 0);

  const auto again = run(bench());
  EXPECT_EQ(again.progress.trials, 0);
  EXPECT_EQ(again.progress.deciding_seconds, 0) << "it is stored";
  ASSERT_TRUE(again.cell.gain);
  EXPECT_EQ(again.cell.gain->value, first.cell.gain->value);
  EXPECT_EQ(again.cell.gain_processes, first.cell.gain_processes);

  engine::JobSpec remeasured = bench();
  remeasured.remeasure = true;
  EXPECT_GT(run(remeasured).progress.deciding_seconds, 0) << "another run's comparison is no evidence of this one";
}

TEST_F(Gains, StandOnTheOneBlockWhereNobodyAskedForMore) {
  engine::JobSpec spec = bench();
  spec.decide_gains = false;
  const auto done = run(spec);
  ASSERT_TRUE(done.cell.gain);
  EXPECT_EQ(done.cell.gain_processes, 1);
  EXPECT_EQ(done.reason.find("processes"), std::string::npos) << done.reason;
}

// A layer of BERT on 24 November: six processes had shown that fusing loses, two on a busy machine then showed 0.27x [0.03, 2.59].
TEST_F(Gains, OfStrongEvidenceOutlastWeakerNewerOnes) {
  engine::JobSpec spec = bench();
  spec.decide_gains = false;
  const auto cell = run(spec).cell;
  ASSERT_TRUE(cell.fused.figure && cell.unfused.figure);
  add_gain(cell, 0.3, {0.28, 0.33}, 6, 1000);
  EXPECT_EQ(stored_row().recommended_plan, PlanKind::kUnfused);
  add_gain(cell, 0.27, {0.03, 2.59}, 2, 2000);
  const engine::CompareRow row = stored_row();
  EXPECT_EQ(row.recommended_plan, PlanKind::kUnfused);
  EXPECT_NE(row.reason.find("fusing loses: 0.30x [0.28, 0.33] in 6 processes"), std::string::npos) << row.reason;

  add_gain(cell, 1.5, {1.4, 1.6}, 7, 3000);
  const engine::CompareRow changed = stored_row();
  EXPECT_EQ(changed.recommended_plan, PlanKind::kFused) << "stronger evidence changes it";
  EXPECT_NE(changed.reason.find("fusing gains 1.50x [1.40, 1.60] in 7 processes"), std::string::npos) << changed.reason;
}

TEST_F(Gains, ThatAreUndecidedAreDecidedWhereThatIsAskedFor) {
  engine::JobSpec spec = bench();
  spec.decide_gains = false;
  add_gain(run(spec).cell, 0.9, {0.03, 2.59}, 6, 1000);
  EXPECT_NE(stored_row().reason.find("deciding takes more than 1000 more processes (--decide)"), std::string::npos)
      << stored_row().reason;
  EXPECT_EQ(run(bench()).progress.deciding_seconds, 0) << "a comparison is not repeated unasked";
  spec = bench();
  spec.decide = true;
  const auto decided = run(spec);
  EXPECT_GT(decided.progress.deciding_seconds, 0);
  EXPECT_GT(decided.cell.gain_processes, 6) << "the result must be the stronger one";
  EXPECT_LT(decided.cell.gain->interval.high / decided.cell.gain->interval.low, 2.59 / 0.03);
}

TEST_F(Gains, OfPlansThatStandStillAreNotAskedAnewByASearchThatKeepsThem) {
  engine::JobSpec spec = bench();
  spec.verb = engine::JobSpec::Verb::kTune;
  spec.strategy = "random";
  spec.budget_trials = 8;
  spec.budget_seconds = 5;
  const auto tuned = run(spec);
  ASSERT_TRUE(tuned.cell.gain);
  EXPECT_GE(tuned.cell.gain_processes, 5);
  EXPECT_TRUE(tuned.phases.contains("fused against unfused"));
  EXPECT_EQ(run(spec).progress.deciding_seconds, 0);
}

}  // namespace
}  // namespace fuselab
