// SPDX-License-Identifier: Apache-2.0
// A model as one graph, on a device whose backend takes such: one block, a row of its own, and no say in what is chosen.
#include <algorithm>

#include "app/views/whole_model_words.h"
#include "tests/faults/support/engine_fixture.h"

namespace fuselab {
namespace {

class WholeModels : public EngineTest {
 protected:
  static constexpr const char* kModel =
      "graph(i0: f32[8,16], p0: param f32[16,16]) { v0 = MatMul(i0, p0); v1 = Relu(v0); v2 = MatMul(v1, p0); return v2 "
      "}";

  static engine::JobSpec bench(const std::string& subject) {
    engine::JobSpec spec;
    spec.verb = engine::JobSpec::Verb::kBench;
    spec.subjects = {subject};
    spec.devices.only = {"null:0"};
    return spec;
  }

  struct Done {
    engine::CompareTable table;
    engine::JobProgress progress;
  };
  Done run(const engine::JobSpec& spec) {
    Done done;
    const auto job = engine_->start(spec);
    EXPECT_TRUE(job.ok()) << job.error().message;
    if (!job.ok()) return done;
    while (!job.value()->wait_for(std::chrono::milliseconds(1))) job.value()->drain();
    EXPECT_TRUE(job.value()->result().ok()) << job.value()->result().error().message;
    const auto tables = job.value()->tables();
    EXPECT_EQ(tables.size(), 1U);
    if (!tables.empty()) done.table = tables.front();
    done.progress = job.value()->last_progress();
    return done;
  }

  std::vector<TrialRow> trials_of(const std::string& piece_key) {
    TrialFilter filter;
    filter.piece_key = piece_key;
    filter.include_synthetic = true;
    const auto rows = engine_->queries().page(filter, TrialOrder::kNewestFirst, 0, 100);
    EXPECT_TRUE(rows.ok());
    return rows.ok() ? rows.value() : std::vector<TrialRow>();
  }

  engine::CompareTable stored(std::vector<std::string> subjects, const std::string& level = "") {
    engine::CompareSpec spec;
    spec.subjects = std::move(subjects);
    spec.level = level;
    spec.devices.only = {"null:0"};
    const auto tables = engine_->compare(spec);
    EXPECT_TRUE(tables.ok() && tables.value().size() == 1U);
    return tables.ok() && !tables.value().empty() ? tables.value().front() : engine::CompareTable();
  }
};

TEST_F(WholeModels, AreOneTrialWithARowBesideTheBestMix) {
  const Done done = run(bench(kModel));
  ASSERT_EQ(done.table.whole_models.size(), 1U);
  const engine::WholeModel& whole = done.table.whole_models.front();
  EXPECT_EQ(whole.cell.device_id, "null:0");
  ASSERT_TRUE(whole.cell.fused.figure) << whole.cell.fused.reason;
  EXPECT_EQ(trials_of(whole.piece_key).size(), 1U) << "it costs one block of one plan";
  ASSERT_TRUE(whole.of_best_mix);
  const auto& mix = done.table.totals.back();
  EXPECT_DOUBLE_EQ(whole.of_best_mix->value, whole.cell.fused.figure->median_ns / mix.fused_ns);
  EXPECT_LT(whole.of_best_mix->interval.low, whole.of_best_mix->value);
  EXPECT_GT(whole.of_best_mix->interval.high, whole.of_best_mix->value);
  EXPECT_EQ(mix.pieces_on.at("null:0"), mix.pieces);
}

TEST_F(WholeModels, AreStoredAndMeasuredOnce) {
  const Done first = run(bench(kModel));
  ASSERT_EQ(first.table.whole_models.size(), 1U);
  const auto again = run(bench(kModel));
  EXPECT_EQ(again.progress.trials, 0);
  for (const auto& table : {again.table, stored({kModel}), stored({})}) {
    ASSERT_EQ(table.whole_models.size(), 1U);
    EXPECT_EQ(table.rows.size(), first.table.rows.size()) << "the whole is none of the pieces";
    EXPECT_EQ(table.whole_models[0].cell.fused.figure->trial_id, first.table.whole_models[0].cell.fused.figure->trial_id);
    EXPECT_EQ(engine::whole_model_words(table.whole_models[0]), engine::whole_model_words(first.table.whole_models[0]));
  }
}

TEST_F(WholeModels, AreNeverChosen) {
  const Done done = run(bench(kModel));
  ASSERT_EQ(done.table.whole_models.size(), 1U);
  const auto catalog = engine_->queries().catalog();
  ASSERT_TRUE(catalog.ok());
  EXPECT_FALSE(catalog.value().choices.empty());
  for (const DefaultChoiceRecord& choice : catalog.value().choices)
    EXPECT_NE(choice.piece_key, done.table.whole_models[0].piece_key);
}

TEST_F(WholeModels, AreNothingApartWhereTheModelIsOneKernel) {
  const Done done = run(bench("graph(i0: f32[8,16], p0: param f32[16]) { v0 = Add(i0, p0); v1 = Relu(v0); return v1 }"));
  EXPECT_TRUE(done.table.whole_models.empty());
}

TEST_F(WholeModels, HideNothingOfAPieceThatIsTheSameGraph) {
  engine::JobSpec apart = bench("graph(i0: f32[8,16], p0: param f32[16]) { v0 = Add(i0, p0); v1 = Relu(v0); return v1 }");
  apart.level = "O0";
  const Done whole = run(apart);
  ASSERT_EQ(whole.table.whole_models.size(), 1U);
  engine::JobSpec fused = apart;
  fused.level = "O2";
  const Done piece = run(fused);
  ASSERT_EQ(piece.table.rows.size(), 1U);
  ASSERT_EQ(piece.table.rows[0].piece_key, whole.table.whole_models[0].piece_key);
  const engine::CompareTable table = stored({});
  ASSERT_EQ(table.rows.size(), 1U);
  EXPECT_EQ(table.rows[0].name, piece.table.rows[0].name);
  EXPECT_EQ(table.rows[0].pattern, piece.table.rows[0].pattern);
  EXPECT_FALSE(table.rows[0].single_operator);
  ASSERT_TRUE(table.rows[0].cells[0].fused.figure && table.rows[0].cells[0].unfused.figure);
  EXPECT_EQ(table.rows[0].cells[0].unfused.figure->trial_id, piece.table.rows[0].cells[0].unfused.figure->trial_id);
  EXPECT_TRUE(table.whole_models.empty());
  EXPECT_EQ(stored({}, "O0").whole_models.size(), 1U);
}

TEST_F(WholeModels, AreNoPieceEvenWhereSomebodyNamedThatGraphBefore) {
  engine::JobSpec named = bench(kModel);
  named.config.set("a", std::int64_t{3});
  const Done given = run(named);
  ASSERT_EQ(given.table.rows.size(), 1U);
  EXPECT_TRUE(stored({kModel}).whole_models.empty()) << "what somebody named is no figure of the whole";
  const Done done = run(bench(kModel));
  ASSERT_EQ(done.table.whole_models.size(), 1U);
  const auto& figure = done.table.whole_models[0].cell.fused.figure;
  ASSERT_TRUE(figure && given.table.rows[0].cells[0].fused.figure);
  EXPECT_NE(figure->config, given.table.rows[0].cells[0].fused.figure->config);
  const engine::CompareTable table = stored({});
  EXPECT_EQ(table.rows.size(), done.table.rows.size());
  EXPECT_EQ(table.whole_models.size(), 1U);
}

// The same product again and again: the piece is quick to verify, the model is not.
TEST_F(WholeModels, OfALongReferenceAreMeasuredWhereThatIsAskedFor) {
  std::string text = "graph(v0: f32[1024,256], p0: param f32[256,256]) { ";
  for (int i = 1; i <= 150; ++i) text += "v" + std::to_string(i) + " = MatMul(v" + std::to_string(i - 1) + ", p0); ";
  engine::JobSpec spec = bench(text + "return v150 }");
  const Done done = run(spec);
  ASSERT_EQ(done.table.rows.size(), 1U);
  for (const auto& table : {done.table, stored(spec.subjects), stored({})}) {
    ASSERT_EQ(table.whole_models.size(), 1U);
    EXPECT_TRUE(
        engine::whole_model_words(table.whole_models[0]).starts_with("not measured: its float64 reference takes 20.1 GFLOP"));
    EXPECT_TRUE(trials_of(table.whole_models[0].piece_key).empty());
  }
  spec.slow_whole_models = true;
  const auto job = engine_->start(spec);
  ASSERT_TRUE(job.ok()) << job.error().message;
  bool asked = false;
  while (!job.value()->wait_for(std::chrono::milliseconds(1))) {
    for (const engine::Event& event : job.value()->drain()) {
      const auto* const progress = std::get_if<engine::JobProgress>(&event);
      asked = asked || (progress != nullptr && progress->phase == "measuring whole models");
    }
    if (asked) job.value()->cancel();
  }
  EXPECT_TRUE(asked);
}

TEST_F(WholeModels, AreNotAskedForWithAConfigurationForOneKernel) {
  engine::JobSpec named = bench(kModel);
  named.config.set("a", std::int64_t{3});
  EXPECT_TRUE(run(named).table.whole_models.empty());
}

// A bundle's export confirms on one device, which may take no whole models.
TEST_F(WholeModels, AreNotHiddenByAJobThatOnlyConfirms) {
  const Done done = run(bench(kModel));
  ASSERT_EQ(done.table.whole_models.size(), 1U);
  engine::JobSpec confirming = bench(kModel);
  confirming.verb = engine::JobSpec::Verb::kTune;
  confirming.whole_models = false;
  confirming.confirm_only = "null:0";
  confirming.confirm_pieces = {done.table.rows.at(0).piece_key};
  run(confirming);
  EXPECT_EQ(stored({}).whole_models.size(), 1U);
}

TEST_F(WholeModels, AreNotLeftOutSilentlyWhereTheBudgetIsShort) {
  engine::JobSpec spec = bench(kModel);
  spec.verb = engine::JobSpec::Verb::kRun;
  spec.budget_seconds = 0.001;
  const auto job = engine_->start(spec);
  ASSERT_TRUE(job.ok()) << job.error().message;
  std::string said;
  for (bool ended = false; !ended;) {
    ended = job.value()->wait_for(std::chrono::milliseconds(1));
    for (const engine::Event& event : job.value()->drain()) {
      if (const auto* line = std::get_if<engine::LogLine>(&event)) said += line->text + "\n";
    }
  }
  EXPECT_NE(said.find("1 model was not measured as a whole, so that the budget also tunes"), std::string::npos) << said;
}

}  // namespace
}  // namespace fuselab
