// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <set>
#include <string>
#include <vector>

#include "app/engine/kernels/kernel_builder.h"
#include "app/engine/measure/block_measurer.h"
#include "tuner/evaluator.h"

namespace fuselab::engine {

// Evaluates launch configurations of one graph as one kernel on one device: makes the kernels, measures them in one block
// and stores every outcome.
class KernelEvaluator : public tuner::Evaluator {
 public:
  KernelEvaluator(const DeviceGraph& graph, std::string name, KernelBuilder& builder, BlockMeasurer& measurer, Protocol protocol);

  Result<std::vector<tuner::Evaluation>> evaluate(std::span<const LaunchConfig> configs, std::stop_token stop) override;
  Result<std::vector<tuner::Evaluation>> retime(std::span<const LaunchConfig> configs, std::stop_token stop) override;
  // Compares two configurations that retime() timed. `failed` says whose kernel failed.
  Result<ComparisonResult> compare_paired(const LaunchConfig& baseline, const LaunchConfig& candidate, const ComparisonRule& rule,
                                          ComparedSide& failed);

 private:
  Protocol to_the_end() const;  // times each plan to the end, whatever was found before
  Status take_stored(const std::vector<tuner::Evaluation*>& evaluations);
  Status measure_the_rest(std::vector<tuner::Evaluation>& evaluations);
  Status measure(std::span<tuner::Evaluation* const> evaluations);
  Status hear_again(std::vector<tuner::Evaluation>& evaluations);
  std::vector<Candidate> candidates_of(const std::vector<KernelOrder>& orders, const std::vector<Result<CompiledKernel>>& kernels);
  void remember_best_of(std::span<const tuner::Evaluation> evaluations);

  const DeviceGraph& graph_;
  std::string name_;
  KernelBuilder& builder_;
  BlockMeasurer& measurer_;
  Protocol protocol_;                            // of the search: slower candidates are dropped beside the best so far
  std::optional<std::set<std::string>> stored_;  // configurations that may have a stored trial: a look-up costs a text
};

// Returns the candidate of one kernel that covers the whole graph or, when it could not be made, the outcome that says why.
Candidate single_kernel_candidate(const Graph& graph, const std::string& key, const std::string& name, const LaunchConfig& config,
                                  Result<CompiledKernel> kernel);
// Returns whether a candidate that was dropped beside a best of `best_ns` may be as fast, because other load took part and has at
// most halved its speed. It is then measured once more, at once.
bool deserves_another_measurement(const PlanResult& dropped, double best_ns);
// Returns the outcome that a failed compilation is stored as.
PlanResult failed_result(const Error& error);

}  // namespace fuselab::engine
