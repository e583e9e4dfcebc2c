// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "backends/onednn/library/primitive_spec.h"
#include "core/base/support.h"
#include "core/graph/graph.h"
#include "core/kernel/drawback.h"

namespace fuselab::onednn {

// Returns the operators that a graph may hold: those that the library computes within the tolerances, special inputs included,
// except that some lose NaN or precision.
const std::vector<Op>& claimed_operators();

// Returns the drawbacks that a kernel of the graph states in its configuration.
Drawbacks drawbacks_in(const Graph& graph);

// States whether a graph may hold the operator.
Support may_hold(Op op);

// States whether the library computes what the primitive's description says: not all of its post-ops work together.
Support computes_as_said(const PrimitiveSpec& spec);

}  // namespace fuselab::onednn
