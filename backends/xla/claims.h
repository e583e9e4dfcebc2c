// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "core/base/support.h"
#include "core/graph/graph.h"

namespace fuselab::xla {

// The operators that XLA's plugin computes within the tolerances, special inputs included, except that some lose NaN.
const std::vector<Op>& claimed_operators();

// Says whether XLA is asked for a graph, and if not why: an operator that is not claimed, an element type, an empty tensor.
Support may_compute(const Graph& graph);

// Returns true when XLA may give a number where the right result is NaN.
bool loses_nan(const Graph& graph);

}  // namespace fuselab::xla
