// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "core/graph/graph.h"

namespace fuselab {

// A node to be computed again for some of its readers: one copy for each set of them. Readers in no set read the original.
struct Repetition {
  NodeId node{};
  std::vector<std::vector<NodeId>> readers;
};

struct RepeatedGraph {
  Graph graph;
  std::vector<NodeId> origins;  // by node of `graph`: the node of the given graph that it is or copies
};

// Returns the same graph with these copies, each directly behind its original; their values are named "r_again". Repeated nodes
// have one output each.
// Fails only when type inference does, which accepted the graph before.
Result<RepeatedGraph> repeat_nodes(const Graph& graph, const std::vector<Repetition>& repetitions);

}  // namespace fuselab
