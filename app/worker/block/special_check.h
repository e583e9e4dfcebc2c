// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "app/worker/block/prepared_plan.h"
#include "core/reference/special_inputs.h"

namespace fuselab::worker {

// Verifies the plans of one graph with other inputs than those they are timed with: large magnitudes, ±Inf and NaN, denormals, on a
// sample of the outputs that takes milliseconds to compute. Large inputs stay as they are but in the places that this sample
// depends on. While a pattern is begun, the first set of the block's shared buffers holds its inputs; end() puts the usual ones
// back. Used by one thread.
class SpecialCheck {
 public:
  // `shared` and `graph` outlive it.
  SpecialCheck(DeviceRuntime& runtime, SharedBuffers& shared, const Graph& graph, std::uint64_t seed);

  // No input of the graph would look different: there is nothing to try.
  bool is_pointless() const { return varied_.empty(); }
  // kUnsupported: its reference costs too much, or there is not enough memory; says how much.
  Status begin(InputPattern pattern);
  // What a plan of the graph made of these inputs; it has run since begin(). kNumerics with the first outlier. Results that should
  // be NaN are not judged of a plan one of whose kernels states that it loses them (core/kernel/nan_loss.h).
  Status judge(PreparedPlan& plan, Verification& total) const;
  Status end();
  // What was tried of the plan when every pattern has been judged, and what was not looked at.
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
  std::int64_t most_places_ = 0;                   // 0: inputs are made anew
  std::vector<std::vector<std::int64_t>> places_;  // of each input, where they are not
  InputPattern pattern_ = InputPattern::kUniform;
  std::int64_t should_be_nan_ = 0;  // results, of all patterns so far
};

}  // namespace fuselab::worker
