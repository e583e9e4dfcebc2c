// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <optional>
#include <string>

#include "tuner/evaluator.h"
#include "tuner/recorded_space.h"

namespace fuselab::tuner {

// Answers from a recorded space instead of measuring. A configuration that was not recorded is kSkipped, with that reason.
class ReplayEvaluator final : public Evaluator {
 public:
  // `recorded` must outlive the evaluator.
  explicit ReplayEvaluator(const RecordedSpace& recorded);

  Result<std::vector<Evaluation>> evaluate(std::span<const LaunchConfig> configs, std::stop_token stop) override;
  Result<std::vector<Evaluation>> retime(std::span<const LaunchConfig> configs, std::stop_token stop) override;

  // Returns the median of the best recorded configuration in ns; nothing when none was timed.
  std::optional<double> optimum_ns() const { return optimum_ns_; }

 private:
  std::map<LaunchConfig, const RecordedTrial*> by_config_;
  std::optional<double> optimum_ns_;
};

}  // namespace fuselab::tuner
