// SPDX-License-Identifier: Apache-2.0
// What a gain stands on: the plans of a piece are held against each other in fresh processes, once.
#include <set>

#include "tests/faults/support/engine_fixture.h"

namespace fuselab {
namespace {

class Gains : public EngineTest {
 protected:
  static engine::JobSpec bench() {
    engine::JobSpec spec;
    spec.verb = engine::JobSpec::Verb::kBench;
    spec.subjects = {"graph(i0: f32[64,512], p0: param f32[512]) { v0 = Add(i0, p0); v1 = Relu(v0); return v1 }"};
    spec.devices = {"null:0"};
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

TEST_F(Gains, OfPlansThatStandStillAreNotAskedAnewByASearchThatKeepsThem) {
  engine::JobSpec spec = bench();
  spec.verb = engine::JobSpec::Verb::kTune;
  spec.strategy = "random";
  spec.cold = false;
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
