// SPDX-License-Identifier: Apache-2.0
// Which plan is recommended from stored rows, whatever the order is in which they were stored. Nothing is measured here.
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>

#include "app/engine/compare/table/compare_builder.h"
#include "app/engine/job/job_protocols.h"
#include "app/engine/workers/worker_pool.h"
#include "core/graph/graph_text.h"
#include "core/measure/disturbance.h"
#include "db/database.h"
#include "tests/support/synthetic_trials.h"

namespace fuselab::engine {
namespace {

// What a run saw of one pair of plans.
struct Seen {
  std::string run;
  double fused_ns = 0, unfused_ns = 0;  // medians of its block
  double ratio = 1, low = 0, high = 0;  // unfused over fused in fresh processes
  int processes = 0;                    // 0: it did not compare them
  std::string disturbance = {};
  std::string fused_config = {};
};

class StoredRows : public ::testing::Test {
 protected:
  void SetUp() override {
    std::string pattern = (std::filesystem::temp_directory_path() / "fuselab-evidence-XXXXXX").string();
    ASSERT_NE(::mkdtemp(pattern.data()), nullptr);
    folder_ = pattern;
    auto opened = db::Database::open(folder_ / "results.db", db::Access::kWrite, std::make_shared<db::Trust>(folder_ / "keys"),
                                     {"", "test-host"});
    ASSERT_TRUE(opened.ok()) << opened.error().message;
    database_ = std::move(opened).value();
    Subject subject;
    subject.graph = parse_graph("graph(x: f32[4,8], y: f32[4,8]) { s = Add(x, y); z = Relu(s); return z }").value();
    auto fused_model = cut(std::move(subject), OptimizationLevel::kO2);
    ASSERT_TRUE(fused_model.ok()) << fused_model.error().message;
    model_ = std::move(fused_model).value();
    ASSERT_EQ(model_.pieces.size(), 1U);
    ASSERT_FALSE(model_.pieces[0].is_single());
    StoreBatch basis = fuselab::testing::synthetic_basis(spec_);
    device_.info = basis.devices[0];
    device_.environment_key = basis.environments[0].key().hex();
    metric_ = metric_of(protocol_).key().hex();
    basis.metrics.push_back(metric_of(protocol_));
    const Piece& piece = model_.pieces[0];
    basis.pieces.push_back({piece.key, canonical_text(piece.operation.graph), piece.operation.name, "chain", piece.operation.cost});
    ASSERT_TRUE(database_->store().commit(basis).ok());
  }
  void TearDown() override {
    database_.reset();
    std::filesystem::remove_all(folder_);
  }

  void store(const Seen& seen) {
    StoreBatch batch;
    RunRecord run;
    run.id = seen.run;
    batch.runs = {run};
    for (const PlanKind kind : {PlanKind::kFused, PlanKind::kUnfused}) {
      TrialRecord trial = fuselab::testing::synthetic_trial(spec_, next_++);
      trial.run_id = seen.run;
      trial.piece_key = model_.pieces[0].key;
      trial.metric_key = metric_;
      trial.environment_key = device_.environment_key;
      trial.device_id = device_.info.id;
      trial.backend = device_.info.backend;
      trial.block_id = "block of " + seen.run;
      trial.kind = kind;
      trial.plan_key = name_of(kind);
      if (kind == PlanKind::kFused && !seen.fused_config.empty()) {
        trial.config = seen.fused_config;
        trial.plan_key += seen.fused_config;
      }
      trial.retimed = true;
      trial.result.outcome = Outcome::kTimed;
      trial.result.reason.clear();
      note_disturbance(trial.result, seen.disturbance);
      fuselab::testing::set_median(trial, kind == PlanKind::kFused ? seen.fused_ns : seen.unfused_ns);
      batch.trials.push_back(std::move(trial));
    }
    if (seen.processes > 0) {
      batch.gains = {{model_.pieces[0].key, device_.info.id, metric_, device_.environment_key,
                      std::string(name_of(PlanKind::kFused)), std::string(name_of(PlanKind::kUnfused)), seen.run, "", seen.ratio,
                      seen.low, seen.high, seen.processes, "", next_}};
    }
    ASSERT_TRUE(database_->store().commit(batch).ok());
  }

  CompareRow row(const std::string& only_run = "", Drawbacks accepted = {}) {
    WorkerPool workers({});  // never asked: the rows are taken as they are stored
    EvidenceReader evidence(workers, database_->queries(), "O2", {}, only_run, accepted);
    evidence.take_as_stored(device_.info.id);
    const auto table = build_compare_table(model_, {device_}, protocol_, evidence, {}, accepted);
    if (!table.ok() || table.value().rows.size() != 1) {
      ADD_FAILURE() << (table.ok() ? "not one row" : table.error().message);
      return {};
    }
    return table.value().rows[0];
  }

  const Seen tuned_ = {"tuned", 1'090'000, 326'000, 0.31, 0.29, 0.33, 7};
  const Seen again_ = {"again", 400'000, 420'000, 0.27, 0.03, 2.59, 2};

  fuselab::testing::SyntheticTrials spec_;
  std::int64_t next_ = 0;
  std::filesystem::path folder_;
  std::unique_ptr<db::Database> database_;
  FusedModel model_;
  ComparedDevice device_;
  Protocol protocol_;
  std::string metric_;
};

// At O0 the same graph is the whole model, of which a device that takes none has no figure.
TEST_F(StoredRows, OfAPieceAreOfNoWholeModelOnADeviceThatTakesNone) {
  store(tuned_);
  Subject subject;
  subject.graph = model_.pieces[0].operation.graph;
  auto apart = cut(std::move(subject), OptimizationLevel::kO0);
  ASSERT_TRUE(apart.ok() && apart.value().whole);
  ASSERT_EQ(apart.value().whole->key, model_.pieces[0].key);
  WorkerPool workers({});
  EvidenceReader evidence(workers, database_->queries(), "O0", {});
  evidence.take_as_stored(device_.info.id);
  const auto rows = [&](std::optional<bool> takes) {
    device_.takes_whole_models = takes;
    const auto table = build_compare_table(apart.value(), {device_}, protocol_, evidence, {});
    EXPECT_TRUE(table.ok()) << table.error().message;
    return table.ok() ? table.value().whole_models : std::vector<WholeModel>();
  };
  EXPECT_TRUE(rows(false).empty());
  EXPECT_EQ(rows(true).size(), 1U);
  EXPECT_EQ(rows(std::nullopt).size(), 1U) << "nobody can ask the device now, and its figures stay";
  apart.value().whole->not_measured = "its reference takes long";
  ASSERT_EQ(rows(true).size(), 1U);
  EXPECT_TRUE(rows(true)[0].cell.fused.figure) << "it was measured all the same";
  apart.value().whole->key = "of which nothing is stored";
  EXPECT_EQ(rows(true)[0].cell.fused.state, CellState::kExcluded);
  EXPECT_TRUE(rows(std::nullopt).empty());
  apart.value().whole->not_measured.clear();
  EXPECT_TRUE(rows(true).empty());
}

// The attention piece of a BERT layer, as it was measured: five minutes of tuning, then one `bench --remeasure` on a busy machine.
TEST_F(StoredRows, OfABertLayerStayUnfusedAfterOneWeakMeasurement) {
  store(tuned_);
  store(again_);
  const CompareRow shown = row();
  EXPECT_EQ(shown.recommended_plan, PlanKind::kUnfused) << shown.reason;
  ASSERT_TRUE(shown.cells[0].unfused.figure);
  EXPECT_DOUBLE_EQ(shown.cells[0].unfused.figure->median_ns, 326'000);
  EXPECT_EQ(shown.cells[0].gain_processes, 7);
  EXPECT_NE(shown.reason.find("fusing loses"), std::string::npos) << shown.reason;

  const CompareRow of_the_run = row("again");
  ASSERT_TRUE(of_the_run.cells[0].fused.figure) << "a job with --remeasure shows what it saw";
  EXPECT_DOUBLE_EQ(of_the_run.cells[0].fused.figure->median_ns, 400'000);
}

TEST_F(StoredRows, RecommendFusingOnceStrongerEvidenceSaysSo) {
  store(tuned_);
  store(again_);
  store({"another day", 300'000, 345'000, 1.15, 1.12, 1.18, 12});
  const CompareRow shown = row();
  EXPECT_EQ(shown.recommended_plan, PlanKind::kFused) << shown.reason;
  ASSERT_TRUE(shown.cells[0].fused.figure);
  EXPECT_DOUBLE_EQ(shown.cells[0].fused.figure->median_ns, 300'000);
  EXPECT_EQ(shown.cells[0].gain_processes, 12);
}

TEST_F(StoredRows, SayTheSameInWhateverOrderTheyWereStored) {
  store(again_);
  store(tuned_);
  EXPECT_EQ(row().recommended_plan, PlanKind::kUnfused);
  EXPECT_DOUBLE_EQ(row().cells[0].unfused.figure.value_or(Figure()).median_ns, 326'000);
}

// A kernel with an error that nobody accepted takes no place from the one without it that was measured beside it.
TEST_F(StoredRows, OfADrawbackThatOthersAvoidCountOnlyWhereItIsAccepted) {
  store({"direct", 300'000, 420'000, 1.4, 1.38, 1.42, 12});
  store({"winograd", 120'000, 421'000, 3.5, 3.4, 3.6, 12, "", "threads=2,winograd=1"});
  const CompareRow usual = row();
  ASSERT_TRUE(usual.cells[0].fused.figure);
  EXPECT_DOUBLE_EQ(usual.cells[0].fused.figure->median_ns, 300'000);
  EXPECT_TRUE(usual.cells[0].fused.figure->is_choosable());
  const CompareRow accepted = row("", {Drawback::kWinogradError});
  ASSERT_TRUE(accepted.cells[0].fused.figure);
  EXPECT_DOUBLE_EQ(accepted.cells[0].fused.figure->median_ns, 120'000);
  EXPECT_TRUE(accepted.cells[0].fused.figure->drawbacks.any());
  EXPECT_TRUE(accepted.cells[0].fused.figure->is_choosable());
}

}  // namespace
}  // namespace fuselab::engine
