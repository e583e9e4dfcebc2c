// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <limits>
#include <vector>

#include "core/base/result.h"
#include "core/reference/operators/reference_tensor.h"

namespace fuselab::reference {

// A value and the bound of its error, in kUnit.
struct Bounded {
  double v = 0;
  double e = 0;
};

// Converts an error to the float that is stored. An error too small for a float is rounded up: 0 would say that the value is exact.
inline float kept_bound(double error) {
  const auto kept = static_cast<float>(error);
  return error > 0 && kept == 0 ? std::numeric_limits<float>::denorm_min() : kept;
}

// One node to evaluate: only the `needed` elements of `output`, which is the node's output number `output_index`.
struct NodeCall {
  const Graph& graph;
  const Node& node;
  std::vector<const Tensor*> inputs;
  Tensor& output;
  std::size_t output_index;
  const Needed& needed;
  bool with_error;

  const Tensor& input(std::size_t i) const { return *inputs[i]; }
  bool has_input(std::size_t i) const { return i < inputs.size(); }
  Bounded operand(std::size_t i, std::int64_t at) const { return {inputs[i]->at(at), inputs[i]->error_at(at)}; }
  // Stores a result whose error does not yet include its own rounding.
  void put(const Rounding& rounding, std::int64_t at, Bounded result) const {
    output.owned_data.data()[at] = result.v;
    if (with_error) output.owned_error.data()[at] = kept_bound(rounding.after(result.v, result.e));
  }
  // Stores a result that is a copy: nothing is rounded.
  void put_copy(std::int64_t at, Bounded result) const {
    output.owned_data.data()[at] = result.v;
    if (with_error) output.owned_error.data()[at] = kept_bound(result.e);
  }
};

Status evaluate_node(const NodeCall& call);

// Returns the elements of each input that the `needed` elements of the node's output depend on. For graph inputs, which are
// available already, it may return none, unless they depend on the pattern and `of_inputs` asks for them. Types are concrete.
std::vector<Needed> demand_of(const Graph& graph, const Node& node, std::size_t output_index, const Needed& needed,
                              bool of_inputs = false);
// Returns true when demand is to be collected for a value.
bool is_asked_for(const Graph& graph, ValueId value, bool of_inputs);

// Returns the multiply-adds behind one output element of a contraction; 0 for other nodes.
std::int64_t terms_per_output(const Graph& graph, const Node& node);

// Turns one row of scores into probabilities in place. Used by Softmax and Attention.
void softmax_row(std::vector<Bounded>& row, double accumulate);
// Turns one row of scores into log-probabilities in place.
void log_softmax_row(std::vector<Bounded>& row, double accumulate);

}  // namespace fuselab::reference
