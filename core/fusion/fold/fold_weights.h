// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "core/graph/graph.h"

namespace fuselab {

// A weight that takes the place of operators over weights alone. The graph that computes it reads params by their names, those of
// weights folded before it among them, and has one output.
struct FoldedWeight {
  std::string name;
  Graph recipe;
};

// A graph in which operators over weights alone went into weights.
struct FoldedGraph {
  Graph graph;
  // The new node of each node of the old graph, by node of the old graph. None: it became part of a weight, or no output needs it.
  std::vector<std::optional<NodeId>> moved;
  std::vector<FoldedWeight> weights;    // in the order in which they are computed; some serve only those after them
  int norms = 0;                        // BatchNormalizations that went into the weights of a Conv, Gemm or MatMul before them
  int operators = 0;                    // others whose operands are weights
  std::vector<std::string> fold_notes;  // a sentence for each of both, in the order of the graph
};

// Folds what follows from the params whose numbers are constant, named by `constants`. What it folds depends on types and names
// alone, so that a graph is cut alike whether its numbers are there or not. A BatchNormalization is folded where nobody else reads
// what it normalises. Another operator is folded where its result takes hardly more memory than its operands (a Cast to a wider
// type stays, which kernels do on the way), and all of them together are bounded. Returns nothing when there is nothing to fold.
// Takes time linear in the graph.
std::optional<FoldedGraph> fold_weights(const Graph& graph, const std::set<std::string>& constants);

// Packed numbers by the names of params.
using PackedNumbers = std::map<std::string, std::vector<std::byte>>;

// Computes the numbers of folded weights in float64 and rounds each once. A weight of which an operand has no numbers gets none. In
// the end `numbers` has those of params of the folded graph alone.
void compute_folded(const FoldedGraph& folded, PackedNumbers& numbers);

}  // namespace fuselab
