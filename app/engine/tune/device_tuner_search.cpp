// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <set>

#include "app/engine/job/job_protocols.h"
#include "app/engine/kernels/requests.h"
#include "app/engine/kernels/withheld_configs.h"
#include "app/engine/measure/roofline.h"
#include "app/engine/tune/device_tuner.h"
#include "app/engine/tune/kernel_evaluator.h"
#include "app/engine/tune/plan_pair.h"
#include "app/engine/tune/search_decision.h"
#include "app/views/decision_words.h"
#include "core/graph/graph_text.h"
#include "core/platform/system/clock.h"

namespace fuselab::engine {

TuningRecord DeviceTuner::search_record(const Graph& graph, const wire::DescribeReply& described) const {
  TuningRecord record;
  record.graph_key = graph_key(graph).hex();
  record.device_id = device_.id;
  record.environment_key = measurer_.environment_key();
  record.metric_key = context_.metric_key;
  record.generation_key = generation_key(device_, context_.spec.level, described);
  record.strategy = search_budget_.strategy;
  record.budget_seconds = search_budget_.seconds_each();
  record.budget_trials = search_budget_.trials;
  record.created_unix_ms = platform::unix_milliseconds();
  return record;
}

Result<int> DeviceTuner::searches(const Piece& piece) {
  int all = 0;
  for (const Graph* graph : graphs_of(piece)) {
    FL_TRY(const wire::DescribeReply described, builder_.describe(*graph));
    all += described.support.yes ? 1 : 0;
  }
  return all;
}

Result<std::vector<DeviceTuner::Search>> DeviceTuner::open_searches(const Piece& piece) {
  const std::vector<const Graph*> graphs = graphs_of(piece);
  std::vector<Search> open;
  std::set<std::string> seen;
  for (std::size_t index = 0; index < graphs.size(); ++index) {
    const Graph& graph = *graphs[index];
    FL_TRY(const wire::DescribeReply described, builder_.describe(graph));
    if (!described.support.yes || !seen.insert(graph_key(graph).hex()).second) continue;
    FL_TRY(const auto search, ended_search(graph));
    if (search && !context_.spec.remeasure && is_answered(*search, search_budget_)) continue;
    if (index == 0) {
      open.push_back({&graph, piece.operation.name, piece.is_single() ? "the operator" : "all in one kernel"});
      continue;
    }
    const std::string op(name_of(piece.operation.graph.node(piece.operators[index - 1].front()).op));
    open.push_back({&graph, piece.operation.name + ": " + op, op + " alone"});
  }
  return open;
}

Result<int> DeviceTuner::searches_left(const Piece& piece) {
  FL_TRY(const auto open, open_searches(piece));
  return static_cast<int>(open.size());
}

Status DeviceTuner::tune_graph(const Graph& graph, const std::string& name, double seconds, const OnStep& on_step) {
  FL_TRY(const Cost cost, cost_of(graph));
  FL_TRY(const wire::DescribeReply described, builder_.describe(graph));
  if (!described.support.yes) return {};
  FL_TRY(const LaunchConfig start, config_for(graph));
  FL_TRY(auto strategy, tuner::make_strategy(context_.spec.strategy, described.space, start, context_.spec.seed));
  KernelEvaluator evaluator(graph, name, builder_, measurer_, search_protocol(context_.spec.protocol));

  FL_TRY_VOID(calibration_.cover(graph, cost));
  tuner::TuneOptions options;
  options.budget = {context_.spec.budget_trials, seconds};
  // A search among configurations with the drawback may come nearer to the limit than any other.
  const Drawbacks possible = possible_drawbacks(described.space);
  const SpeedOfLight light =
      speed_of_light(graph, least_cost(cost, possible), calibration_.working_set(cost), calibration_.table());
  if (light.ideal.count > 0) options.ideal = light.ideal;
  options.seconds_aside = [this] {
    return context_.pause_point.paused_seconds() + context_.workers.waited_seconds() + calibration_.seconds();
  };
  const std::string at_most = std::to_string(described.space.enumerate(context_.spec.budget_trials).size());
  const auto tell = [&](const tuner::TuneProgress& progress) {
    on_step(std::to_string(progress.tried) + " of " + at_most + " configurations");
  };
  options.compare_with_start = [&](const tuner::Evaluation& begun, const tuner::Evaluation& winner, ComparedSide& failed) {
    on_step("the winner against what the search began with");
    const Nanoseconds round = round_of(begun, winner, context_.spec.protocol);
    return evaluator.compare_paired(begun.config, winner.config, rule_of_search(seconds, round), failed);
  };
  on_step("");
  const auto tuned = tuner::tune(*strategy, evaluator, options, context_.stop, tell);
  FL_TRY_VOID(measurer_.settle());  // a search that is stored as ended has all its trials
  FL_TRY(const tuner::TuneResult result, tuned);
  if (result.stopped == tuner::StopReason::kCancelled) return Error{ErrorCode::kCancelled, "cancelled"};

  TuningRecord record = search_record(graph, described);
  record.trials = static_cast<int>(result.evaluations.size());
  record.stopped = tuner::name_of(result.stopped);
  if (result.best) {
    best_[record.graph_key] = result.evaluations[*result.best].config;
    record.best_config = best_[record.graph_key].text();
  }
  const TuningDecision decision = decision_of(result);
  note_decision(name, decision);
  FL_TRY(const auto before, ended_search(graph));
  record.decision = before ? decision_in_force(decision, *before) : decision;
  StoreBatch batch;
  batch.tunings.push_back(std::move(record));
  return context_.store.commit(batch);
}

// Logs how a search ended; with many searches only their counts are logged, at the end.
void DeviceTuner::note_decision(const std::string& name, const TuningDecision& decision) {
  if (!decision.is_known()) return;
  ++(decision.verdict == name_of(Verdict::kImproved) ? decided_.improved : decision.open ? decided_.open : decided_.kept);
  if (search_budget_.searches > kSearchesToTellOf) return;
  context_.events.push(LogLine{LogLine::Level::kInfo, name + " on " + device_.id + ": " + decision_text(decision)});
}

Result<int> DeviceTuner::tune(const Piece& piece, const Allow& allow, const OnStep& on_step) {
  FL_TRY(const auto open, open_searches(piece));
  int left = static_cast<int>(open.size());
  for (const Search& search : open) {
    const auto seconds = allow(left);
    if (!seconds) break;
    const auto step = [&](const std::string& tried) {
      if (on_step) on_step(search.what + (tried.empty() ? "" : ": " + tried));
    };
    FL_TRY_VOID(tune_graph(*search.graph, search.name, *seconds, step));
    --left;
  }
  if (left > 0) FL_TRY_VOID(note_untuned(piece));
  FL_TRY(const bool tuned, is_tuned(piece));
  if (!tuned) return left;  // the pair was measured untuned already, and stays so
  if (on_step) on_step("the winners in a fresh process");
  const auto records = measure_pair(piece, Freshness::kFreshProcess);
  if (!records.ok()) return records.error();
  return left;
}

Result<bool> DeviceTuner::is_given_up(const Piece& piece) {
  FL_TRY(const auto search, ended_search(piece.operation.graph));
  return search && !given_up_because(*search).empty();
}

// Notes that a search had no turn. The result of an earlier search is kept.
Status DeviceTuner::note_untuned(const Piece& piece, const std::string& given_up) {
  StoreBatch batch;
  for (const Graph* graph : graphs_of(piece)) {
    FL_TRY(const wire::DescribeReply described, builder_.describe(*graph));
    FL_TRY(const auto search, ended_search(*graph));
    if (!described.support.yes || (search && is_answered(*search, search_budget_))) continue;
    TuningRecord record = search_record(*graph, described);
    record.stopped = search_budget_.unreached(given_up);
    if (search) {
      record.trials = search->trials;
      record.best_config = search->best_config;
      record.decision = search->decision;
    }
    batch.tunings.push_back(std::move(record));
  }
  return context_.store.commit(batch);
}

}  // namespace fuselab::engine
