// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "backends/onednn/primitive_spec.h"
#include "core/base/support.h"
#include "core/graph/graph.h"

namespace fuselab::onednn {

// The operators that a graph may hold: those that the library computes within the tolerances, special inputs included.
const std::vector<Op>& claimed_operators();

// Whether a graph may hold the operator, and what the library does wrong where it has a primitive for it.
Support may_hold(Op op);

// Whether the library computes what the primitive's description says: not all of its post-ops stand beside each other.
Support computes_as_said(const PrimitiveSpec& spec);

}  // namespace fuselab::onednn
