// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "core/base/result.h"
#include "core/graph/graph.h"

namespace fuselab::xla {

// Returns a concrete graph as one StableHLO module, whose function "main" takes the graph's inputs in order and returns its
// outputs. All of them are vectors of all their elements: what is a view of another tensor for the graph is the same buffer for
// XLA, which gives buffers a shape. The same graph gives the same text. Fails with kUnsupported, naming the operator, where the
// writer has nothing for it.
Result<std::string> stablehlo_text(const Graph& graph);

// Returns whether a node is a square, which is written as a product: XLA's product is right where its power is not.
bool is_square(const Graph& graph, const Node& node);

}  // namespace fuselab::xla
