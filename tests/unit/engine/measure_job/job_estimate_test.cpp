// SPDX-License-Identifier: Apache-2.0
// What a job is expected to take, and how its one bar goes, on a clock that only the test moves.
#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

#include "app/engine/job/job_protocols.h"
#include "app/engine/measure_job/estimate_job.h"
#include "app/engine/measure_job/job_outlook.h"

namespace fuselab::engine {
namespace {

CompareRow row_named(const std::string& name, bool single = false) {
  CompareRow row;
  row.piece_key = row.name = name;
  row.graph = "graph(x: f32[8]) { y = Relu(x); z = Tanh(y); return z }";
  row.single_operator = single;
  for (const char* device : {"cpu:0", "opencl:0"}) {
    CompareCell& cell = row.cells.emplace_back();
    cell.device_id = device;
  }
  return row;
}

Cell measured(bool confirmed) {
  Cell cell;
  cell.state = CellState::kMeasured;
  cell.figure.emplace();
  cell.figure->median_ns = 1000;
  cell.figure->confirmed = confirmed;
  return cell;
}

CompareTable table_of(std::vector<CompareRow> rows) {
  CompareTable table;
  table.model = "m";
  table.rows = std::move(rows);
  return table;
}

const auto kNotSearched = [](const CompareRow&, const CompareCell&) { return false; };
const std::vector<std::string> kBoth = {"cpu:0", "opencl:0"};

TEST(JobWork, CountsWhatIsLeftOnEachDeviceOnce) {
  CompareRow done = row_named("done");
  done.recommended_device = "cpu:0";
  done.cells[0].fused = done.cells[0].unfused = measured(true);
  done.cells[0].gain_processes = 5;
  const std::vector<CompareTable> tables = {table_of({row_named("pair"), row_named("one", true), done}),
                                            table_of({row_named("pair")})};
  const auto searched = [](const CompareRow& row, const CompareCell& cell) {
    return row.name == "done" && cell.device_id == "cpu:0";
  };
  JobSpec spec;
  const JobWork work = work_of(spec, tables, kBoth, searched);
  EXPECT_EQ(work.pieces, 3);
  EXPECT_EQ(work.pairs, 6) << "a piece of two models is one";
  EXPECT_EQ(work.stored_pairs, 1);
  ASSERT_EQ(work.devices.size(), 2U);
  EXPECT_EQ(work.devices[0].figures, 2);
  EXPECT_EQ(work.devices[0].searches, 3 + 1) << "the fused kernel and its two operators; a single operator has one";
  EXPECT_EQ(work.devices[0].confirm, 2);
  EXPECT_EQ(work.devices[0].compare, 1);
  EXPECT_EQ(work.devices[1].figures, 3);
  EXPECT_EQ(work.devices[1].searches, 3 + 1 + 3);
  EXPECT_EQ(work.devices[1].confirm, 0) << "recommended elsewhere";
  spec.remeasure = true;
  const JobWork again = work_of(spec, tables, {"cpu:0"}, searched);
  EXPECT_EQ(again.stored_pairs, 0);
  EXPECT_EQ(again.devices[0].figures, 3);
  EXPECT_EQ(again.devices[0].searches, 7);
  EXPECT_EQ(again.pairs, 3) << "the other device takes no part";
}

TEST(JobWork, CountsWholeModelsThatHaveNoFigureYet) {
  CompareTable table = table_of({row_named("one", true)});
  table.pending_whole_models = 2;
  table.whole_models.resize(2);
  table.whole_models[0].cell.fused = measured(true);
  table.whole_models[1].cell.fused.state = CellState::kExcluded;
  JobSpec spec;
  EXPECT_EQ(work_of(spec, {table}, kBoth, kNotSearched).whole_models, 2);
  spec.remeasure = true;
  EXPECT_EQ(work_of(spec, {table}, kBoth, kNotSearched).whole_models, 3);
  spec.slow_whole_models = true;
  EXPECT_EQ(work_of(spec, {table}, kBoth, kNotSearched).whole_models, 4) << "those whose reference takes long";
  spec.whole_models = false;
  EXPECT_EQ(work_of(spec, {table}, kBoth, kNotSearched).whole_models, 0);
}

JobWork usual_work() {
  JobWork work;
  work.pieces = 20;
  work.pairs = 40;
  work.devices = {{"cpu:0", true, 20, 60, 20, 15, 20}, {"opencl:0", true, 20, 60, 0, 0, 20}};
  work.whole_models = 1;
  return work;
}

double sum_of(const JobEstimate& estimate) {
  return std::accumulate(estimate.phases.begin(), estimate.phases.end(), 0.0,
                         [](double sum, const PhaseEstimate& each) { return sum + each.seconds; });
}

TEST(JobEstimate, IsTheSumOfItsPhasesAndKeepsToTheBudget) {
  JobSpec spec;
  spec.budget_seconds = 300;
  const JobEstimate estimate = estimate_job(spec, usual_work(), {});
  EXPECT_EQ(estimate.seconds(), sum_of(estimate));
  EXPECT_NEAR(estimate.seconds(), 300, 1e-6) << "tuning takes what is left";
  std::vector<std::string> names;
  for (const PhaseEstimate& each : estimate.phases) names.push_back(each.name);
  EXPECT_EQ(names, (std::vector<std::string>{"ceilings", "first figures", "whole models", "first figures of other devices",
                                             "tuning", "confirming", "fused against unfused"}));
  spec.cold = true;
  const JobEstimate with_cold = estimate_job(spec, usual_work(), {});
  EXPECT_EQ(with_cold.phases.back().name, "cold figures");
  EXPECT_NEAR(with_cold.seconds(), 300 + 40 * StepSeconds().cold, 1e-6) << "beside the budget";
}

TEST(JobEstimate, EndsBeforeTheBudgetWhereTheSearchesDo) {
  JobSpec spec;
  spec.budget_seconds = 3600;
  spec.budget_trials = 2;
  const JobEstimate estimate = estimate_job(spec, usual_work(), {});
  const auto tuning =
      std::find_if(estimate.phases.begin(), estimate.phases.end(), [](const auto& e) { return e.phase == "tuning"; });
  ASSERT_NE(tuning, estimate.phases.end());
  EXPECT_EQ(tuning->steps, 120);
  EXPECT_NEAR(tuning->seconds, 120 * 2 * StepSeconds().trial, 1e-6);
  EXPECT_LT(estimate.seconds(), 200);
}

TEST(JobEstimate, NothingIsLeftOfAJobThatIsDone) {
  JobWork work;
  work.pieces = 3;
  work.pairs = work.stored_pairs = 3;
  work.devices = {{"cpu:0"}};
  const JobEstimate estimate = estimate_job(JobSpec(), work, {});
  EXPECT_TRUE(estimate.phases.empty());
  EXPECT_EQ(estimate.seconds(), 0);
}

TEST(JobEstimate, AMeasurementWithoutABudgetTunesNothing) {
  JobSpec spec;
  spec.verb = JobSpec::Verb::kBench;
  const JobEstimate estimate = estimate_job(spec, usual_work(), {});
  EXPECT_EQ(estimate.budget_seconds, 0);
  for (const PhaseEstimate& each : estimate.phases) {
    EXPECT_NE(each.phase, "tuning");
    EXPECT_NE(each.phase, "confirming");
    EXPECT_GT(each.seconds, 0) << each.name;
  }
}

TEST(JobRates, AreTheMeanTimeBetweenTheBlocksOfAKind) {
  MetricIdentity full = metric_of(Protocol()), search = metric_of(search_protocol(Protocol()));
  std::vector<TrialRow> rows;
  const auto add = [&](const char* metric, std::int64_t ms, int trials, bool retimed = false) {
    for (int trial = 0; trial < trials; ++trial) {
      TrialRow row;
      row.sequence = static_cast<std::int64_t>(rows.size());
      row.run_id = "r";
      row.device_id = "cpu:0";
      row.metric_key = metric;
      row.created_unix_ms = ms;
      row.retimed = retimed;
      rows.push_back(row);
    }
  };
  add("full", 1'000, 2);  // when it began is not known
  add("full", 2'000, 2);
  add("full", 5'000, 2);
  add("search", 13'000, 16);  // after something else
  add("search", 21'000, 16);
  add("full", 40'000, 1, true);  // after a comparison
  add("full", 43'000, 1, true);  // no first figures
  add("full", 9'000'000, 2);     // after a pause
  std::reverse(rows.begin(), rows.end());
  const JobRates rates = rates_of(rows, {{"full", full}, {"search", search}}, {"r"});
  EXPECT_DOUBLE_EQ(rates.on("cpu:0").figures, 2);
  EXPECT_DOUBLE_EQ(rates.on("cpu:0").trial, 0.5);
  EXPECT_DOUBLE_EQ(rates.on("cpu:0").cold, StepSeconds().cold) << "nothing is known of it";
  EXPECT_DOUBLE_EQ(rates.on("opencl:0").figures, 2) << "as elsewhere";
  EXPECT_EQ(rates.trials, 20) << "the others show no time between two blocks of a kind";
  EXPECT_EQ(rates_of(rows, {}, {"another machine's"}).trials, 0);
}

TEST(JobOutlook, OneBarGoesOnOverAllPhasesHoweverFarOffTheEstimateIs) {
  JobSpec spec;
  spec.budget_seconds = 300;
  spec.cold = true;
  const JobEstimate estimate = estimate_job(spec, usual_work(), {});
  for (const double slower : {0.2, 1.0, 3.0}) {
    JobOutlook outlook(estimate);
    double clock = 0, done = 0;
    for (const PhaseEstimate& phase : estimate.phases) {
      const double takes = phase.seconds * slower;
      for (int step = 0; step < 10; ++step) {
        const std::optional<double> of_phase = step == 0 ? std::nullopt : std::optional(takes * (10 - step) / 10);
        const double left = outlook.left(phase.phase, of_phase, clock);
        EXPECT_GE(outlook.done(), done) << phase.name << " " << slower;
        EXPECT_LT(outlook.done(), 1) << phase.name;
        EXPECT_GE(left, of_phase.value_or(0)) << phase.name;
        if (clock == 0) {
          EXPECT_NEAR(left, estimate.seconds(), 1e-6) << "first it is the whole estimate";
        }
        done = outlook.done();
        clock += takes / 10;
      }
    }
    EXPECT_GT(done, 0.9) << slower;
  }
}

TEST(JobOutlook, APhaseOutOfTheEstimateCountsOnlyWhatItSays) {
  JobEstimate estimate;
  estimate.phases = {{"tuning", "tuning", 1, 10}, {"confirming", "confirming", 1, 4}};
  estimate.budget_seconds = 14;
  estimate.tuning_at_most = 10;
  JobOutlook outlook(estimate);
  EXPECT_DOUBLE_EQ(outlook.left("importing", std::nullopt, 0), 14);
  EXPECT_DOUBLE_EQ(outlook.left("tuning", 10, 0), 14);
  EXPECT_DOUBLE_EQ(outlook.left("measuring again", 1, 10), 5);
  EXPECT_DOUBLE_EQ(outlook.left("confirming", std::nullopt, 11), 4);
  EXPECT_DOUBLE_EQ(outlook.left("confirming", std::nullopt, 13), 2);
  EXPECT_DOUBLE_EQ(outlook.left("fused against unfused", std::nullopt, 15), 0);
}

TEST(JobEstimate, IsToldInWords) {
  JobEstimate estimate;
  estimate.phases = {{"measuring", "first figures", 3, 20.2}, {"tuning", "tuning", 9, 105}};
  EXPECT_EQ(estimate.text(), "about 2 min 5 s: first figures 20 s, tuning 1 min 45 s");
  EXPECT_EQ(about_text(0.2), "less than 1 s");
  EXPECT_EQ(about_text(3600), "1 h");
  EXPECT_EQ(about_text(4800), "1 h 20 min");
}

}  // namespace
}  // namespace fuselab::engine
