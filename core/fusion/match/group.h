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

// The loop structure that one kernel would have: two groups may only join when their structures do.
enum class Form {
  kElementWise,  // one independent element per position of `space`
  kRows,         // rows of the last axis of `space`; several passes over one row are free
  kMatrix,       // tiles of one MatMul or Gemm, then an element-wise epilogue
  kConvolution,  // tiles of one Conv, then an element-wise epilogue
  kAttention,    // a whole attention, nothing else
  kRotary,       // pairs of a row's halves, nothing else
  kView,         // only another shape over the same bytes
  kAlone,        // moves, gathers or reduces in a way that nothing shares
  kOpaque,
};

// A set of nodes that is or could become one fused operation.
struct Group {
  Form form = Form::kAlone;
  Shape space;                                             // what the loops run over
  int operators = 1;                                       // without views
  std::optional<NodeId> anchor;                            // the contraction, when there is one
  std::vector<NodeId> prologue;                            // ascending: what makes an operand of the contraction
  std::string prologue_decision;                           // why, with its numbers
  Refusal alone_because;                                   // for kAlone
  int most_operators = 0;                                  // as annotated (C26), the least of its nodes'; 0: not
  FusionPatternType pattern = FusionPatternType::kSingle;  // the pattern that seeded it
};

// MatMul and its kin: a kernel computes tiles of the output and never sees whole rows.
inline bool is_contraction(Form form) {
  return form == Form::kMatrix || form == Form::kConvolution;
}
// Whether `shape` has one element per row of `space`: [8,1] or [8] for [8,768].
bool is_row_scalar(const Shape& shape, const Shape& space);
// Whether a Reduce*, Softmax or norm works on exactly the last axis of its first input.
bool works_on_last_axis(const GraphIndex& index, NodeId id);

// By one operator that shares a kernel. Each edge to it asks about all it reads, of which a stranger's Max may have tens of
// thousands.
inline constexpr std::size_t kMostRead = 256;
// Operators that no backend of Fuselab writes into a kernel with others: in a group they would keep their neighbours from running.
bool shares_no_kernel(Op op);

// One node as a group of its own.
Group group_of_node(const GraphIndex& index, const FusionOptions& options, NodeId id);
// "'y' is annotated NoFusion: why", or empty.
std::string forbidden_by_annotation(const GraphIndex& index, NodeId id);
// The stricter of two annotated limits, of which 0 is none.
inline int stricter(int a, int b) {
  return a == 0 || b == 0 ? a + b : std::min(a, b);
}

// Group a (producing) and group b (consuming) as one, or why not: form, limits and options only; see Partition for paths.
struct Joined {
  std::optional<Refusal> refused;
  Group group;
};
Joined join(const GraphIndex& index, const FusionOptions& options, const Group& a, std::span<const NodeId> a_nodes, const Group& b,
            std::span<const NodeId> b_nodes);

// Percent of the traffic between these nodes that one kernel avoids, plus 5 per launch saved, at most 100.
int benefit_score(const GraphIndex& index, std::span<const NodeId> nodes);

}  // namespace fuselab
