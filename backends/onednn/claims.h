// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "backends/onednn/library/primitive_spec.h"
#include "core/base/support.h"
#include "core/graph/graph.h"

namespace fuselab::onednn {

// Returns the operators that a graph may hold: those that the library computes within the tolerances, special inputs included,
// except that some lose NaN.
const std::vector<Op>& claimed_operators();

// Returns true when the library may give a number where the operator's right result is NaN. A kernel with such an operator states
// this in its configuration (core/kernel/drawback.h).
bool loses_nan(Op op);
bool loses_nan(const Graph& graph);

// States whether a graph may hold the operator, and if not what the library does wrong where it has a primitive for it.
Support may_hold(Op op);

// States whether the library computes what the primitive's description says: not all of its post-ops work together.
Support computes_as_said(const PrimitiveSpec& spec);

}  // namespace fuselab::onednn
