// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "core/ops/op_table.h"
#include "core/reference/operators/reference_node.h"

// What an operator computes: one row in the file of its family. Private to core/reference.
namespace fuselab::reference {

using Positions = std::vector<std::int64_t>;

// One demand: a node's output, and which elements of it.
struct Ask {
  const Graph& graph;
  const Node& node;
  std::size_t output_index;
  std::span<const std::int64_t> positions;
  std::vector<bool> computed;  // by input: its elements are still to be computed

  std::vector<std::int64_t> extents(std::size_t input) const { return extents_of(graph.type(node.inputs[input]).shape); }
  std::vector<std::int64_t> output() const { return extents_of(graph.type(node.outputs[output_index]).shape); }
  std::size_t rank() const { return graph.type(node.inputs[0]).shape.size(); }
};

// Where an element of a movement's output comes from.
struct Source {
  std::size_t input = 0;
  std::int64_t at = 0;

  // Returns the source of an element that is filled in.
  static Source nothing() { return {0, -1}; }
  bool exists() const { return at >= 0; }
};
using SourceMap = std::function<Source(std::int64_t)>;

// A movement with the extents of its first input and of one output.
struct Movement {
  const Graph& graph;
  const Node& node;
  std::size_t output_index;
  std::vector<std::int64_t> in, out;
};

struct OperatorRow {
  Op op = Op::kIdentity;
  Status (*evaluate)(const NodeCall& call) = nullptr;
  std::vector<Needed> (*demand)(const Ask& ask) = nullptr;                // null: all of each input
  std::int64_t (*terms)(const Graph& graph, const Node& node) = nullptr;  // see terms_per_output(); null: 0
  SourceMap (*source)(const Movement& movement) = nullptr;                // of a movement; null: each element keeps its place
};

// Makes an evaluation that never fails one that may.
template <void (*evaluate)(const NodeCall&)>
Status always(const NodeCall& call) {
  evaluate(call);
  return {};
}

// Appends so many positions from `base` on.
inline void add_range(Positions& to, std::int64_t base, std::int64_t count, std::int64_t stride = 1) {
  for (std::int64_t i = 0; i < count; ++i) to.push_back(base + i * stride);
}
// What the first input is asked for, where the others are needed whole.
std::vector<Needed> first_input_demand(const Ask& ask, Positions wanted);
std::vector<Needed> broadcast_demand(const Ask& ask);
std::vector<Needed> moved_demand(const Ask& ask);
// Whole rows along these axes; the small operands (scale, bias) whole. `output_is_rows`: an element of the output stands for a row.
std::vector<Needed> row_demand(const Ask& ask, const std::vector<bool>& along, bool output_is_rows);
// The rows along the node's axis.
template <int kUsual, bool kOutputIsRows>
std::vector<Needed> axis_demand(const Ask& ask) {
  std::vector<bool> along(ask.rank(), false);
  along[axis_of(ask.node.attributes.integer("axis", kUsual), ask.rank())] = true;
  return row_demand(ask, along, kOutputIsRows);
}

// An element-wise operator, over operands that broadcast.
constexpr OperatorRow each(Op op, Status (*evaluate)(const NodeCall&)) {
  return {op, evaluate, broadcast_demand};
}

template <Op... Bounds>
using Family = OpFamily<OperatorRow, Bounds...>;

extern const Family<Op::kIdentity, Op::kSin, Op::kAdd, Op::kEqual> kElementwise;
extern const Family<Op::kSin, Op::kFloor> kTrigonometry;
extern const Family<Op::kFloor, Op::kIsNaN, Op::kShrink, Op::kAdd, Op::kMod, Op::kReduceSum> kSteps;
extern const Family<Op::kIsNaN, Op::kShrink, Op::kEqual, Op::kMod> kPredicates;
extern const Family<Op::kReduceSum, Op::kArgMax, Op::kSoftmax, Op::kHardmax, Op::kLayerNormalization, Op::kMatMul,
                    Op::kGlobalAveragePool, Op::kRotaryEmbedding>
    kRows;
extern const Family<Op::kArgMax, Op::kSoftmax, Op::kHardmax, Op::kLayerNormalization> kRanks;
extern const Family<Op::kMatMul, Op::kConv> kProducts;
extern const Family<Op::kConv, Op::kAttention, Op::kBatchNormalization, Op::kGlobalAveragePool> kWindows;
extern const Family<Op::kAttention, Op::kLSTM> kAttention;
extern const Family<Op::kLSTM, Op::kBatchNormalization> kRecurrences;
extern const Family<Op::kRotaryEmbedding, Op::kTranspose> kRotary;
extern const Family<Op::kTranspose, Op::kGatherElements> kMovements;
extern const Family<Op::kGatherElements, Op::kConstant> kIndexed;
extern const Family<Op::kConstant, kEndOfOps> kLeaves;

const OperatorRow& row_of(Op op);

}  // namespace fuselab::reference
