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

// An error as it is kept. What is too small for a float is rounded up: 0 would say that the value is exact.
inline float kept_bound(double error) {
  const auto kept = static_cast<float>(error);
  return error > 0 && kept == 0 ? std::numeric_limits<float>::denorm_min() : kept;
}

// One node to evaluate: only `needed` elements of `output`, number `output_index` of the node.
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
  // Keeps a result whose error does not yet count its own rounding.
  void put(const Rounding& rounding, std::int64_t at, Bounded result) const {
    output.owned_data.data()[at] = result.v;
    if (with_error) output.owned_error.data()[at] = kept_bound(rounding.after(result.v, result.e));
  }
  // Keeps a result that is a copy: no rounding.
  void put_copy(std::int64_t at, Bounded result) const {
    output.owned_data.data()[at] = result.v;
    if (with_error) output.owned_error.data()[at] = kept_bound(result.e);
  }
};

Status evaluate_node(const NodeCall& call);

void evaluate_elementwise(const NodeCall& call);
void evaluate_predicate(const NodeCall& call);  // element-wise with a bool result
void evaluate_trigonometry(const NodeCall& call);
void evaluate_step(const NodeCall& call);    // element-wise with jumps: Floor … ThresholdedRelu
void evaluate_rows(const NodeCall& call);    // reductions, softmax, norms
void evaluate_ranks(const NodeCall& call);   // ArgMax, ArgMin, CumSum, Hardmax
Status evaluate_loss(const NodeCall& call);  // the two losses
void evaluate_matmul(const NodeCall& call);  // MatMul, Gemm
void evaluate_attention(const NodeCall& call);
void evaluate_conv(const NodeCall& call);
void evaluate_pool(const NodeCall& call);
void evaluate_batch_normalization(const NodeCall& call);
Status evaluate_rotary(const NodeCall& call);
Status evaluate_indexed(const NodeCall& call);  // GatherElements … ScatterND
Status evaluate_movement(const NodeCall& call);

// The elements of each input that `needed` elements of the node's output depend on; for graph inputs, which are there
// already, it may say none, unless they depend on the pattern and `of_inputs` asks for them. Types are concrete.
std::vector<Needed> demand_of(const Graph& graph, const Node& node, std::size_t output_index, const Needed& needed,
                              bool of_inputs = false);
// Whether demand is asked for of a value.
bool is_asked_for(const Graph& graph, ValueId value, bool of_inputs);

// Multiply-adds behind one output element of a contraction; 0 for other nodes.
std::int64_t terms_per_output(const Graph& graph, const Node& node);

// Softmax over one row of scores, in place: `v` become probabilities. Used by Softmax and Attention.
void softmax_row(std::vector<Bounded>& row, double accumulate);
// The same for log-probabilities.
void log_softmax_row(std::vector<Bounded>& row, double accumulate);

}  // namespace fuselab::reference
