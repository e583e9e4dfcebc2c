// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "app/worker/block/prepared_plan.h"
#include "core/reference/special_inputs.h"

namespace fuselab::worker {

// Verifies the plans of one graph with other inputs than those they are timed with: large magnitudes, ±Inf and NaN, denormals, on a
// sample of the outputs that takes milliseconds to compute. Large inputs are changed only in the places that this sample depends
// on. Between begin() and end() the first set of the block's shared buffers holds the pattern's inputs; end() restores the usual
// ones. Used by one thread.
class SpecialCheck {
 public:
  // `shared` and `graph` must outlive it.
  SpecialCheck(DeviceRuntime& runtime, SharedBuffers& shared, const Graph& graph, std::uint64_t seed);

  // Returns whether no input of the graph would change, so that there is nothing to check.
  bool is_pointless() const { return varied_.empty(); }
  // Fails with kUnsupported where the reference costs too much or there is not enough memory, saying how much.
  Status begin(InputPattern pattern);
  // Checks the outputs of a plan of the graph that has run since begin(). Fails with kNumerics at the first outlier. What a kernel
  // of the plan states that it computes otherwise (core/kernel/drawback.h) is not checked.
  Status judge(PreparedPlan& plan, Verification& total) const;
  Status end();
  // Returns which patterns the plan was checked with, once every one has been judged, and what was not checked.
  std::string said(const PreparedPlan& plan) const;

 private:
  Status check_memory() const;
  Status prepare();
  bool sampled() const { return most_places_ > 0; }
  SampleBudget budget(double flops) const;
  // Gives an input the pattern's values in its places.
  void change(std::size_t input, std::vector<std::byte>& packed);
  Status upload_varied();

  DeviceRuntime& runtime_;
  SharedBuffers& shared_;
  const Graph& graph_;
  std::uint64_t seed_;
  std::shared_ptr<const ReferenceCase> usual_;
  std::vector<std::size_t> varied_;  // inputs that depend on the pattern
  std::vector<RealTensor> inputs_;
  std::int64_t most_places_ = 0;                   // 0: inputs are made as a whole
  std::vector<std::vector<std::int64_t>> places_;  // of each input, the places changed when it is not made as a whole
  InputPattern pattern_ = InputPattern::kUniform;
  std::int64_t should_be_nan_ = 0;  // number of results, over all patterns so far
};

}  // namespace fuselab::worker
