// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "core/base/result.h"
#include "core/graph/graph.h"
#include "core/kernel/drawback.h"

namespace fuselab::xla {

// The operators that XLA's plugin computes within the tolerances, special inputs included, except that some lose NaN.
const std::vector<Op>& claimed_operators();

// Fails with kUnsupported where XLA is not asked for a graph: an operator that is not claimed, an element type, an empty tensor.
Status may_compute(const Graph& graph);

// XLA may give a number where the right result is NaN.
Drawbacks drawbacks_in(const Graph& graph);

}  // namespace fuselab::xla
