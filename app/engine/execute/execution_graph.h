// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "app/engine/subject/piece.h"
#include "core/base/result.h"
#include "core/graph/graph.h"

namespace fuselab::engine {

// One use of a piece in a model, with the values it reads and writes.
struct PieceUse {
  std::size_t piece = 0;         // index into ExecutionGraph::fused_model.pieces
  std::string name;              // of this use
  std::vector<ValueId> inputs;   // values of the whole graph, in the order of the piece's inputs
  std::vector<ValueId> outputs;  // likewise, in the order of the piece's outputs
};

// A subject ready to be run piece by piece: every use, in an order that can run. A value that is only a view of another (the same
// bytes in another shape) is replaced by that one.
struct ExecutionGraph {
  FusedModel fused_model;
  std::vector<PieceUse> uses;
  std::vector<ValueId> inputs;   // the values that must be given, in the graph's order
  std::vector<ValueId> outputs;  // the values whose tensors are the graph's outputs, in its order

  const Graph& whole() const { return fused_model.fusion.graph; }
};

// Fails with kUnsupported, naming the barrier or the output that nothing computes.
Result<ExecutionGraph> execution_graph(FusedModel fused_model);

}  // namespace fuselab::engine
