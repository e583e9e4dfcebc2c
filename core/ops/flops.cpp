// SPDX-License-Identifier: Apache-2.0
#include "core/graph/recurrence.h"
#include "core/ops/cost.h"

namespace fuselab {
namespace {

// The count is a double: FLOP counts of real models pass 2^53 nowhere near the point where rounding matters.
double elements(const Graph& graph, ValueId id) {
  double count = 1;
  for (const Dim& dim : graph.type(id).shape) count *= static_cast<double>(dim.extent());
  return count;
}

double extent(const Graph& graph, ValueId id, std::size_t axis) {
  return static_cast<double>(graph.type(id).shape[axis].extent());
}

double gemm(const Graph& graph, const Node& node) {
  const std::size_t inner = node.attributes.integer("transA", 0) != 0 ? 0 : 1;
  const double result = elements(graph, node.outputs[0]);
  const double addend = node.inputs.size() == 3 ? result : 0;
  return 2 * result * extent(graph, node.inputs[0], inner) + addend;
}

double matmul(const Graph& graph, const Node& node) {
  const std::size_t inner = graph.type(node.inputs[0]).shape.size() - 1;
  return 2 * elements(graph, node.outputs[0]) * extent(graph, node.inputs[0], inner);
}

// 2·N·K·P·Q·C·R·S: each output is one filter's worth of multiply-adds.
double conv(const Graph& graph, const Node& node) {
  const double result = elements(graph, node.outputs[0]);
  const double filters = extent(graph, node.inputs[1], 0);
  const double filter = filters > 0 ? elements(graph, node.inputs[1]) / filters : 0;
  return 2 * result * filter + (node.inputs.size() == 3 ? result : 0);
}

// Two contractions and a softmax over all scores; a causal mask skips none of them here, as a plain kernel would not.
double attention(const Graph& graph, const Node& node) {
  const bool by_heads = graph.type(node.inputs[0]).shape.size() == 4;
  const double keys = extent(graph, node.inputs[1], by_heads ? 2 : 1);
  const double heads = by_heads ? extent(graph, node.inputs[0], 1) : node.attributes.real("q_num_heads", 1);
  const double queries = extent(graph, node.inputs[0], 0) * heads * extent(graph, node.inputs[0], by_heads ? 2 : 1);
  const double contractions = 2 * keys * (elements(graph, node.inputs[0]) + elements(graph, node.outputs[0]));
  return contractions + info_of(Op::kSoftmax).flops_per_element * queries * keys;
}

// Each step's products with W and R, and what joins the gates' parts; an activation counts as a Sigmoid does.
double recurrence(const Graph& graph, const Node& node) {
  const double gates = node.op == Op::kLSTM ? 4 : node.op == Op::kGRU ? 3 : 1;
  const RecurrenceExtents extents = recurrence_extents(graph, node);
  const double states = elements(graph, node.outputs[0]);
  const double products = 2 * gates * static_cast<double>(extents.width + extents.hidden);
  const double functions = node.op == Op::kLSTM ? 5 : gates;
  const double joining = node.op == Op::kLSTM ? 4 : node.op == Op::kGRU ? 5 : 0;
  return states * (products + 2 * gates + info_of(Op::kSigmoid).flops_per_element * functions + joining);
}

double pool(const Graph& graph, const Node& node) {
  double window = 1;
  for (const std::int64_t each : node.attributes.integers("kernel_shape")) window *= static_cast<double>(each);
  return window * elements(graph, node.outputs[0]);
}

// 0.5·x·(1+erf(x/√2)): 5; 0.5·x·(1+tanh(√(2/π)·(x+0.044715·x³))): 9.
double gelu(const Graph& graph, const Node& node) {
  const double per_element = node.attributes.text("approximate", "none") == "tanh" ? 9 : 5;
  return per_element * elements(graph, node.outputs[0]);
}

}  // namespace

double flops_of(const Graph& graph, const Node& node) {
  const OpInfo& info = info_of(node.op);
  switch (node.op) {
    case Op::kMatMul: return matmul(graph, node);
    case Op::kGemm: return gemm(graph, node);
    case Op::kConv: return conv(graph, node);
    case Op::kAttention: return attention(graph, node);
    case Op::kLSTM:
    case Op::kGRU:
    case Op::kRNN: return recurrence(graph, node);
    case Op::kMaxPool:
    case Op::kAveragePool: return pool(graph, node);
    case Op::kGelu: return gelu(graph, node);
    // It reads one number of each row, negates it and weights it.
    case Op::kNegativeLogLikelihoodLoss: return 2 * elements(graph, node.inputs[1]);
    case Op::kMin:
    case Op::kMax: return static_cast<double>(node.inputs.size() - 1) * elements(graph, node.outputs[0]);
    default: break;
  }
  if (info.flops_per_element == 0) return 0;
  const bool per_input = info.access == AccessPattern::kReduction;
  return info.flops_per_element * elements(graph, per_input ? node.inputs[0] : node.outputs[0]);
}

}  // namespace fuselab
