// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <optional>
#include <string>

#include "core/fusion/match/asked_limits.h"
#include "core/fusion/match/fusion_types.h"
#include "core/fusion/match/graph_index.h"

namespace fuselab {

// The loop structure of a kernel: two groups may only join when their structures fit together.
enum class Form {
  kElementWise,  // one independent element per position of `space`
  kRows,         // rows of the last axis of `space`; several passes over one row are free
  kMatrix,       // tiles of one MatMul or Gemm, then an element-wise epilogue
  kConvolution,  // tiles of one Conv, then an element-wise epilogue
  kAttention,    // a whole attention, nothing else
  kRotary,       // pairs of a row's halves, nothing else
  kView,         // only gives the same bytes another shape
  kAlone,        // moves, gathers or reduces in a way that cannot share a kernel
  kOpaque,
};

// A set of nodes that is or could become one fused operation.
struct Group {
  Form form = Form::kAlone;
  Shape space;                                             // the space that the loops run over
  int operators = 1;                                       // views not counted
  std::optional<NodeId> anchor;                            // the contraction, when there is one
  std::optional<NodeId> twin;                              // the other one, of two that share their left operand
  std::vector<NodeId> prologue;                            // nodes that make an operand of the contraction, ascending
  std::string prologue_decision;                           // the reason for the prologue, with its numbers
  Refusal alone_because;                                   // for kAlone
  int most_operators = 0;                                  // the least limit annotated on its nodes (C26); 0: none
  FusionPatternType pattern = FusionPatternType::kSingle;  // the pattern that seeded it
};

// Returns true for MatMul and its kin: a kernel computes tiles of the output and never sees whole rows.
inline bool is_contraction(Form form) {
  return form == Form::kMatrix || form == Form::kConvolution;
}
// Returns true when `shape` has one element per row of `space`: [8,1] or [8] for [8,768].
bool is_row_scalar(const Shape& shape, const Shape& space);

// Makes a group of one node.
Group group_of_node(const GraphIndex& index, const FusionOptions& options, NodeId id);
// Returns "'y' is annotated NoFusion: why", or an empty text.
std::string forbidden_by_annotation(const GraphIndex& index, NodeId id);
// Returns why two operators share no piece although they might: one of them runs only where a condition is met. Else an empty text.
std::string forbidden_by_branches(const GraphIndex& index, NodeId a, NodeId b);
// Returns the stricter of two annotated limits, where 0 means no limit.
inline int stricter(int a, int b) {
  return a == 0 || b == 0 ? a + b : std::min(a, b);
}

// Group a (producing) and group b (consuming) joined into one, or the reason why not. Only form, limits and options are considered;
// see Partition for paths.
struct Joined {
  std::optional<Refusal> refused;
  Group group;
};
Joined join(const GraphIndex& index, const FusionOptions& options, const Group& a, std::span<const NodeId> a_nodes, const Group& b,
            std::span<const NodeId> b_nodes);

// Returns the percentage of the traffic between these nodes that one kernel avoids, plus 5 per launch saved, at most 100.
int benefit_score(const GraphIndex& index, std::span<const NodeId> nodes);

}  // namespace fuselab
