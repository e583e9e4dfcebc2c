// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "core/graph/graph.h"

namespace fuselab {

// A node that is to be computed anew for some of its readers: one copy for each set of them. Whoever is in none reads the original.
struct Repetition {
  NodeId node{};
  std::vector<std::vector<NodeId>> readers;
};

struct RepeatedGraph {
  Graph graph;
  std::vector<NodeId> origins;  // by node of `graph`: which node of the given graph it is, or is a copy of
};

// The same graph with these copies, each right behind its original; their values are named "r_again". Nodes have one output each.
// An error is one of type inference, which knew the graph before.
Result<RepeatedGraph> repeat_nodes(const Graph& graph, const std::vector<Repetition>& repetitions);

}  // namespace fuselab
