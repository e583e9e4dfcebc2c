// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/graph/graph.h"

namespace fuselab::xla {

// Returns a concrete graph as one StableHLO module, whose function "main" takes the graph's inputs in order, then the memory of its
// outputs, in which it returns them. The same graph gives the same text. Fails with kUnsupported, naming the operator, where the
// writer has nothing for it.
Result<std::string> stablehlo_text(const Graph& graph);

// Returns the operators that have a writer, a square apart: those that XLA's plugin computes within the tolerances, special inputs
// included, except that some lose NaN.
std::vector<Op> written_operators();

// Returns whether a node is a square, which is written as a product: XLA's product is right where its power is not.
bool is_square(const Graph& graph, const Node& node);

}  // namespace fuselab::xla
