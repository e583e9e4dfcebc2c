// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gmock/gmock.h>

#include <functional>

#include "tests/unit/tuner/spaces.h"
#include "tuner/tuner.h"

// A search over a small space whose evaluator does what a test says.
namespace fuselab::tuner {

inline Evaluation timed(const LaunchConfig& config, double ns) {
  Evaluation evaluation;
  evaluation.config = config;
  evaluation.result.outcome = Outcome::kTimed;
  evaluation.result.samples = {ns, ns, ns};
  return evaluation;
}

inline Evaluation failed(const LaunchConfig& config, Outcome outcome) {
  Evaluation evaluation;
  evaluation.config = config;
  evaluation.result.outcome = outcome;
  evaluation.result.reason = "scripted";
  return evaluation;
}

// Answers from functions and remembers what it was asked.
class FakeEvaluator final : public Evaluator {
 public:
  Result<std::vector<Evaluation>> evaluate(std::span<const LaunchConfig> configs, std::stop_token) override {
    blocks.push_back(configs.size());
    if (before_block) before_block();
    if (broken) return *broken;
    std::vector<Evaluation> evaluations;
    for (const auto& config : configs) evaluations.push_back(on_evaluate(config));
    return evaluations;
  }
  Result<std::vector<Evaluation>> retime(std::span<const LaunchConfig> configs, std::stop_token) override {
    if (before_retime) {
      if (const auto error = before_retime()) return *error;
    }
    retimed.assign(configs.begin(), configs.end());
    std::vector<Evaluation> evaluations;
    for (const auto& config : configs) evaluations.push_back(on_retime(config));
    return evaluations;
  }

  std::function<Evaluation(const LaunchConfig&)> on_evaluate = [](const LaunchConfig& config) {
    return timed(config, test::small_cost(config));
  };
  std::function<Evaluation(const LaunchConfig&)> on_retime = on_evaluate;
  std::function<void()> before_block;
  std::function<std::optional<Error>()> before_retime;
  std::optional<Error> broken;
  std::vector<std::size_t> blocks;
  std::vector<LaunchConfig> retimed;
};

class Tune : public testing::Test {
 protected:
  Result<TuneResult> tune(const std::function<void(const TuneProgress&)>& on_progress = {}) {
    auto strategy = make_strategy(strategy_, test::small_space(), test::small_start(), 1);
    return tuner::tune(*strategy.value(), evaluator_, options_, source_.get_token(), on_progress);
  }
  const LaunchConfig& best_of(const TuneResult& result) { return result.evaluations.at(result.best.value()).config; }

  FakeEvaluator evaluator_;
  TuneOptions options_;
  std::stop_source source_;
  std::string strategy_ = "exhaustive";
};

}  // namespace fuselab::tuner
