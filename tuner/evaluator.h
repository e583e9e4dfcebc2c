// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <stop_token>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/kernel/launch_config.h"
#include "core/measure/plan.h"

namespace fuselab::tuner {

// The result of evaluating one configuration.
struct Evaluation {
  LaunchConfig config;
  PlanResult result;
  std::string trial_id;  // id of the stored trial; empty when nothing was stored
  bool reused = false;   // served from the store: nothing was measured
};

// Interface that compiles, verifies, times and stores configurations of ONE piece on one device. Implemented by app/engine over the
// wire, by ReplayEvaluator from recorded spaces, and by fakes in tests.
class Evaluator {
 public:
  virtual ~Evaluator() = default;
  // Returns one result per configuration, in order. Configurations of one call are interleaved in one block; compilation runs
  // before it. An Error means that the evaluator itself is broken (database gone), not that a configuration failed.
  virtual Result<std::vector<Evaluation>> evaluate(std::span<const LaunchConfig> configs, std::stop_token stop) = 0;
  // Times these configurations again in a fresh process (the winners' confirmation).
  virtual Result<std::vector<Evaluation>> retime(std::span<const LaunchConfig> configs, std::stop_token stop) = 0;
};

}  // namespace fuselab::tuner
