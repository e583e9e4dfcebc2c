// SPDX-License-Identifier: Apache-2.0
#include "tuner/replay_evaluator.h"

#include "tuner/tuner.h"

namespace fuselab::tuner {
namespace {

PlanResult replayed(const RecordedTrial& trial) {
  PlanResult result;
  result.outcome = trial.outcome;
  result.reason = trial.reason;
  result.samples = trial.runtimes_ns;
  result.source = TimingSource::kProvider;
  result.verification.passed = trial.outcome == Outcome::kTimed;
  return result;
}

}  // namespace

ReplayEvaluator::ReplayEvaluator(const RecordedSpace& recorded) {
  for (const auto& trial : recorded.trials) {
    by_config_[trial.config] = &trial;
    const auto cost = cost_of(replayed(trial));
    if (cost && (!optimum_ns_ || *cost < *optimum_ns_)) optimum_ns_ = cost;
  }
}

Result<std::vector<Evaluation>> ReplayEvaluator::evaluate(std::span<const LaunchConfig> configs, std::stop_token stop) {
  std::vector<Evaluation> evaluations;
  for (const auto& config : configs) {
    if (stop.stop_requested()) return Error{ErrorCode::kCancelled, "replay was cancelled"};
    Evaluation evaluation;
    evaluation.config = config;
    evaluation.reused = true;
    const auto found = by_config_.find(config);
    if (found != by_config_.end()) {
      evaluation.result = replayed(*found->second);
    } else {
      evaluation.result.outcome = Outcome::kSkipped;
      evaluation.result.reason = "never recorded";
    }
    evaluations.push_back(std::move(evaluation));
  }
  return evaluations;
}

Result<std::vector<Evaluation>> ReplayEvaluator::retime(std::span<const LaunchConfig> configs, std::stop_token stop) {
  return evaluate(configs, std::move(stop));
}

}  // namespace fuselab::tuner
