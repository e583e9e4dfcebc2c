// SPDX-License-Identifier: Apache-2.0
// A job with a budget confirms in a fresh process what it recommends, whatever its tuning did not reach.
#include <SQLiteCpp/Database.h>

#include <algorithm>
#include <set>

#include "tests/faults/support/engine_fixture.h"

namespace fuselab {
namespace {

class Confirming : public EngineTest {
 protected:
  static engine::JobSpec with_budget(double seconds) {
    engine::JobSpec spec;
    spec.subjects = {"graph(i0: f32[64,512], p0: param f32[512]) { v0 = Add(i0, p0); v1 = Relu(v0); return v1 }",
                     "graph(i0: f32[64,1024]) { v0 = Tanh(i0); return v0 }"};
    spec.devices.only = {"null:0"};
    spec.strategy = "random";
    spec.budget_trials = 4;
    spec.budget_seconds = seconds;
    return spec;
  }

  std::set<std::string> run(const engine::JobSpec& spec) {
    std::set<std::string> phases;
    const auto job = engine_->start(spec);
    EXPECT_TRUE(job.ok()) << job.error().message;
    if (!job.ok()) return phases;
    for (bool ended = false; !ended;) {
      ended = job.value()->wait_for(std::chrono::milliseconds(1));
      for (const engine::Event& event : job.value()->drain()) {
        if (const auto* progress = std::get_if<engine::JobProgress>(&event)) phases.insert(progress->phase);
      }
    }
    EXPECT_TRUE(job.value()->result().ok()) << job.value()->result().error().message;
    last_ = job.value()->last_progress();
    return phases;
  }

  // How many of the stored rows' recommended plans are confirmed.
  int confirmed() {
    engine::CompareSpec compared;
    compared.subjects = with_budget(1).subjects;
    compared.devices = with_budget(1).devices;
    const auto tables = engine_->compare(compared);
    EXPECT_TRUE(tables.ok()) << tables.error().message;
    int all = 0;
    for (std::size_t index = 0; tables.ok() && index < tables.value().size(); ++index) {
      for (const engine::CompareRow& row : tables.value()[index].rows) {
        const engine::CompareCell& cell = row.cells.at(0);
        const auto& figure = (row.recommended_plan == PlanKind::kFused ? cell.fused : cell.unfused).figure;
        all += figure && figure->confirmed ? 1 : 0;
      }
    }
    return all;
  }

  engine::JobProgress last_;
};

TEST_F(Confirming, WhatTuningDidNotReachIsConfirmedAllTheSame) {
  for (const auto verb : {engine::JobSpec::Verb::kTune, engine::JobSpec::Verb::kRun}) {
    engine::JobSpec spec = with_budget(0.001);
    spec.verb = verb;
    run(spec);
    EXPECT_EQ(confirmed(), 2);
    run(spec);
    EXPECT_EQ(last_.trials, 0) << "it is stored";
  }
}

TEST_F(Confirming, ABenchHasNoBudgetAndConfirmsNothing) {
  engine::JobSpec spec = with_budget(0.001);
  spec.verb = engine::JobSpec::Verb::kBench;
  EXPECT_FALSE(run(spec).contains("confirming"));
  EXPECT_EQ(confirmed(), 0);
  spec.verb = engine::JobSpec::Verb::kRun;
  EXPECT_TRUE(run(spec).contains("confirming")) << "what was measured before it, too";
  EXPECT_EQ(confirmed(), 2);
}

// A confirmation that other load disturbed outweighs no undisturbed block of the same plans. It was made all the same.
TEST_F(Confirming, HoldsThoughOtherLoadDisturbedIt) {
  run(with_budget(0.001));
  ASSERT_EQ(confirmed(), 2);
  SQLite::Database((folder_ / "results.db").string(), SQLite::OPEN_READWRITE)
      .exec("UPDATE trial SET reason = 'disturbed while timing: for a test' WHERE retimed = 1");
  EXPECT_EQ(confirmed(), 2);
}

// Whether kernels are right is said by the newest confirmation of them, not by the best.
TEST_F(Confirming, HoldsNoLongerOnceTheSamePlanWasWrongLater) {
  run(with_budget(0.001));
  ASSERT_EQ(confirmed(), 2);
  SQLite::Database database((folder_ / "results.db").string(), SQLite::OPEN_READWRITE);
  database.exec("UPDATE trial SET reason = 'disturbed while timing: for a test', created_unix_ms = 1 WHERE retimed = 1");
  database.exec("UPDATE trial SET created_unix_ms = 3 WHERE retimed = 0");
  ASSERT_EQ(confirmed(), 2) << "by what was confirmed first, and measured undisturbed later";
  database.exec("CREATE TEMP TABLE wrong AS SELECT * FROM trial WHERE retimed = 1");
  database.exec("UPDATE wrong SET sequence = sequence + 1000, id = id || '-wrong', outcome = 'wrong-result', created_unix_ms = 2");
  database.exec("INSERT INTO trial SELECT * FROM wrong");
  EXPECT_EQ(confirmed(), 0);
}

TEST_F(Confirming, OfNamedPiecesMeasuresTheseAlone) {
  engine::JobSpec spec = with_budget(0.001);
  spec.verb = engine::JobSpec::Verb::kBench;
  run(spec);
  engine::CompareSpec compared;
  compared.subjects = spec.subjects;
  compared.devices = spec.devices;
  const auto tables = engine_->compare(compared);
  ASSERT_TRUE(tables.ok() && tables.value().size() == 2U);
  spec.verb = engine::JobSpec::Verb::kTune;
  spec.confirm_only = "null:0";
  spec.confirm_pieces = {tables.value()[1].rows.at(0).piece_key};
  run(spec);
  EXPECT_EQ(confirmed(), 1);
}

}  // namespace
}  // namespace fuselab
