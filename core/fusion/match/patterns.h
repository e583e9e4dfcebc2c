// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/fusion/match/group.h"

namespace fuselab {

// A known composition found in the graph. It seeds a group before any group grows.
struct PatternMatch {
  FusionPatternType pattern = FusionPatternType::kMixed;
  Form form = Form::kRows;
  Shape space;
  std::optional<NodeId> anchor;
  std::vector<NodeId> nodes;          // ascending
  std::vector<NodeId> prologue = {};  // of them, those that make operands of the anchor; ascending
  std::string prologue_decision = {};

  // Whether it is an integer product, the only one that is found with a prologue.
  bool reads_bytes() const { return !prologue.empty(); }
};

// Each finder is called for every node and returns a match at one node only, which occurs once in the pattern.

// Finds MatMul → [scale] → [Add of a mask, or Where with a number] → Softmax → MatMul, with K's Transpose and scales of the
// operands, and Casts by which half-precision scores have their softmax in f32. Called for Softmax.
std::optional<PatternMatch> find_attention(const GraphIndex& index, NodeId softmax);
// Finds (x − mean)/sqrt(var + eps) or x/sqrt(mean(x²) + eps), then [·gamma] [+ beta]. Called for the mean of the squares.
std::optional<PatternMatch> find_norm(const GraphIndex& index, NodeId mean);
// Finds exp(x − max)/sum(exp(x − max)) along the last axis, or its logarithm (x − max) − log(sum(exp(x − max))). Called for the
// sum.
std::optional<PatternMatch> find_softmax(const GraphIndex& index, NodeId sum);
// Finds x·cos + concat(−x₂, x₁)·sin, with the halves by Slice or Split. Called for Concat.
std::optional<PatternMatch> find_rotary(const GraphIndex& index, NodeId concat);
// Finds silu(g)·u, with silu as Swish or g·Sigmoid(g). Called for Swish or Sigmoid.
std::optional<PatternMatch> find_swiglu(const GraphIndex& index, NodeId gate);
// Finds MatMul with an operand whose last two axes are swapped before. Called for MatMul.
std::optional<PatternMatch> find_transposed_operand(const GraphIndex& index, NodeId matmul);

// Finds an integer product with all that makes its operands of 8-bit numbers, where nobody else reads what they make. Called for
// MatMul.
std::optional<PatternMatch> find_integer_product(const GraphIndex& index, NodeId matmul);

// The remaining functions inspect the neighbours of a node or value.
// Returns the maker of a value when it is of this operator.
std::optional<NodeId> made_by(const GraphIndex& index, ValueId value, Op op);
// Returns the first reader of a node's first output that is of this operator.
std::optional<NodeId> read_by(const GraphIndex& index, NodeId id, Op op);
// Returns the other operand of a two-operand node; nothing when both are `value`.
std::optional<ValueId> other_operand(const GraphIndex& index, NodeId id, ValueId value);
inline ValueId output_of(const GraphIndex& index, NodeId id) {
  return index.node(id).outputs.front();
}
// Returns x for Pow(x, 2) or Mul(x, x).
std::optional<ValueId> squared_by(const GraphIndex& index, NodeId square);
// Follows v to 1/sqrt(v) or sqrt(v) and returns the node that multiplies or divides `centred` by it. The nodes on the way are added
// to `nodes`.
std::optional<NodeId> find_quotient_by_root(const GraphIndex& index, NodeId variance, ValueId centred, std::vector<NodeId>& nodes);
// Returns the nodes sorted, each once.
std::vector<NodeId> node_set(std::vector<NodeId> nodes);

}  // namespace fuselab
