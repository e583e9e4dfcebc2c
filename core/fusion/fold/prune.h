// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/graph/graph.h"

namespace fuselab {

// A graph without some nodes and params of another one. Inputs keep their places.
struct PrunedGraph {
  Graph graph;
  std::vector<std::optional<NodeId>> moved;  // the new node of each node of the old graph; none: it was left out
};

// Returns a graph of the nodes and params that are kept, by node and by value of the given one.
// Requires that whatever a kept node or an output reads is kept, too.
PrunedGraph keep(const Graph& graph, const std::vector<bool>& nodes, const std::vector<bool>& params);

// Returns the graph without operators that no output needs, and without the params that only they read; nothing where there are
// none. Takes time linear in the graph.
std::optional<PrunedGraph> without_dead_operators(const Graph& graph);

// Says for people which operators pruning left out: "2 operators that no output needs were left out: Mul, Tanh".
std::string left_out_text(const Graph& before, const PrunedGraph& pruned);

}  // namespace fuselab
