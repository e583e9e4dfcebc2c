// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "backends/onednn/library/primitive_spec.h"
#include "core/base/support.h"
#include "core/graph/graph.h"

namespace fuselab::onednn {

// The operators that a graph may hold: those that the library computes within the tolerances, special inputs included; but some
// lose NaN.
const std::vector<Op>& claimed_operators();

// Whether the library may give a number where the operator's right result is NaN. What holds such an operator states it in its
// configuration (core/kernel/nan_loss.h).
bool loses_nan(Op op);
bool loses_nan(const Graph& graph);

// Whether a graph may hold the operator, and what the library does wrong where it has a primitive for it.
Support may_hold(Op op);

// Whether the library computes what the primitive's description says: not all of its post-ops stand beside each other.
Support computes_as_said(const PrimitiveSpec& spec);

}  // namespace fuselab::onednn
