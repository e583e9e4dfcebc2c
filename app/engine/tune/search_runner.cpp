// SPDX-License-Identifier: Apache-2.0
#include "app/engine/tune/search_runner.h"

#include <set>

#include "app/engine/job/job_protocols.h"
#include "app/engine/kernels/withheld_configs.h"
#include "app/engine/measure/roofline.h"
#include "app/engine/tune/kernel_evaluator.h"
#include "app/engine/tune/search_decision.h"
#include "app/views/decision_words.h"
#include "core/base/words.h"
#include "core/platform/system/clock.h"
#include "tuner/prior.h"

namespace fuselab::engine {

TuningRecord SearchRunner::record_of(const DeviceGraph& graph) const {
  const EvidenceKey key = pieces_.key_of(graph.key);
  TuningRecord record;
  record.graph_key = key.piece;
  record.device_id = key.device;
  record.environment_key = key.environment;
  record.metric_key = key.metric;
  record.generation_key = graph.generation;
  record.strategy = budget_.strategy;
  record.budget_seconds = budget_.seconds_each();
  record.budget_trials = budget_.trials;
  record.created_unix_ms = platform::unix_milliseconds();
  return record;
}

Result<int> SearchRunner::count(const Piece& piece) {
  int all = 0;
  for (const DeviceGraph* graph : pieces_.of(piece).graphs) {
    FL_TRY(const bool supported, graph->is_supported());
    all += supported ? 1 : 0;
  }
  return all;
}

Result<std::vector<SearchRunner::Search>> SearchRunner::open_searches(const Piece& piece) {
  const DevicePiece here = pieces_.of(piece);
  std::vector<Search> open;
  std::set<const DeviceGraph*> seen;
  for (std::size_t index = 0; index < here.graphs.size(); ++index) {
    DeviceGraph* const graph = here.graphs[index];
    FL_TRY(const bool supported, graph->is_supported());
    if (!supported || !seen.insert(graph).second) continue;
    FL_TRY(const auto search, pieces_.ended_search(*graph));
    if (search && !context_.spec.remeasure && is_answered(*search, budget_)) continue;
    if (index == 0) {
      open.push_back({graph, piece.operation.name, piece.is_single() ? "the operator" : "all in one kernel"});
      continue;
    }
    const std::string op(name_of(piece.operation.graph.node(piece.operators[index - 1].front()).op));
    open.push_back({graph, piece.operation.name + ": " + op, op + " alone"});
  }
  return open;
}

Result<int> SearchRunner::left(const Piece& piece) {
  FL_TRY(const auto open, open_searches(piece));
  return static_cast<int>(open.size());
}

Status SearchRunner::run_search(const Search& search, double seconds, const OnStep& on_step) {
  DeviceGraph& graph = *search.graph;
  FL_TRY(const Cost cost, cost_of(*graph.graph));
  FL_TRY(const LaunchConfig start, pieces_.best_config(graph));
  const ParameterSpace& space = graph.described.value().space;
  const auto prior = tuner::prior_in(space, start, context_.spec.prior, tuner::kMostOfPrior);
  if (!prior.empty())
    context_.events.push(LogLine{LogLine::Level::kInfo, search.name + " on " + pieces_.device().id + ": begins with " +
                                                            counted(prior.size(), "configuration") + " of the prior"});
  FL_TRY(auto strategy, tuner::make_strategy(context_.spec.strategy, space, start, context_.spec.seed, prior));
  KernelEvaluator evaluator(graph, search.name, pieces_.builder(), measurer_, search_protocol(context_.spec.protocol));

  FL_TRY_VOID(calibration_.cover(*graph.graph, cost));
  tuner::TuneOptions options;
  options.budget = {context_.spec.budget_trials, seconds};
  // A search among configurations with the drawback may come nearer to the limit than any other.
  const Drawbacks possible = possible_drawbacks(space);
  const SpeedOfLight light =
      speed_of_light(*graph.graph, least_cost(cost, possible), calibration_.working_set(cost), calibration_.table());
  if (light.ideal.count > 0) options.ideal = light.ideal;
  options.seconds_aside = [this] {
    return context_.pause_point.paused_seconds() + context_.workers.waited_seconds() + calibration_.seconds();
  };
  const std::string at_most = std::to_string(space.enumerate(context_.spec.budget_trials).size());
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

  TuningRecord record = record_of(graph);
  record.trials = static_cast<int>(result.evaluations.size());
  record.stopped = tuner::name_of(result.stopped);
  if (result.best) {
    graph.best = result.evaluations[*result.best].config;
    record.best_config = graph.best->text();
  }
  const TuningDecision decision = decision_of(result);
  note_decision(search.name, decision);
  FL_TRY(const auto before, pieces_.ended_search(graph));
  record.decision = before ? decision_in_force(decision, *before) : decision;
  StoreBatch batch;
  batch.tunings.push_back(std::move(record));
  return context_.store.commit(batch);
}

// Logs how a search ended; with many searches only their counts are logged, at the end.
void SearchRunner::note_decision(const std::string& name, const TuningDecision& decision) {
  if (!decision.is_known()) return;
  ++(decision.verdict == name_of(Verdict::kImproved) ? decided_.improved : decision.open ? decided_.open : decided_.kept);
  if (budget_.searches > kSearchesToTellOf) return;
  context_.events.push(LogLine{LogLine::Level::kInfo, name + " on " + pieces_.device().id + ": " + decision_text(decision)});
}

Result<int> SearchRunner::run(const Piece& piece, const Allow& allow, const OnStep& on_step) {
  FL_TRY(const auto open, open_searches(piece));
  int left = static_cast<int>(open.size());
  for (const Search& each : open) {
    const auto seconds = allow(left);
    if (!seconds) break;
    const auto step = [&](const std::string& tried) {
      if (on_step) on_step(each.what + (tried.empty() ? "" : ": " + tried));
    };
    FL_TRY_VOID(run_search(each, *seconds, step));
    --left;
  }
  if (left > 0) FL_TRY_VOID(note_untuned(piece));
  return left;
}

Result<bool> SearchRunner::is_given_up(const Piece& piece) {
  FL_TRY(const auto search, pieces_.ended_search(pieces_.whole(piece)));
  return search && !given_up_because(*search).empty();
}

Status SearchRunner::note_untuned(const Piece& piece, const std::string& given_up) {
  StoreBatch batch;
  for (const DeviceGraph* graph : pieces_.of(piece).graphs) {
    FL_TRY(const bool supported, graph->is_supported());
    FL_TRY(const auto search, pieces_.ended_search(*graph));
    if (!supported || (search && is_answered(*search, budget_))) continue;
    TuningRecord record = record_of(*graph);
    record.stopped = budget_.unreached(given_up);
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
