// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "app/engine/subject/piece.h"
#include "core/base/result.h"
#include "core/graph/graph.h"

namespace fuselab::engine {

// One use of a piece in a model: where its tensors come from and go to.
struct PieceUse {
  std::size_t piece = 0;         // of ExecutionGraph::fused_model.pieces
  std::string name;              // of this use
  std::vector<ValueId> inputs;   // of the whole graph, in the order of the piece's inputs
  std::vector<ValueId> outputs;  // in the order of its outputs
};

// A subject ready to be run piece by piece: every use in an order that can run. A value that only gives another the same bytes in
// another shape stands as that other one.
struct ExecutionGraph {
  FusedModel fused_model;
  std::vector<PieceUse> uses;
  std::vector<ValueId> inputs;   // what must be given, in the graph's order
  std::vector<ValueId> outputs;  // whose tensors are the graph's outputs, in its order

  const Graph& whole() const { return fused_model.fusion.graph; }
};

// kUnsupported names a barrier, or an output that nothing computes.
Result<ExecutionGraph> execution_graph(FusedModel fused_model);

}  // namespace fuselab::engine
