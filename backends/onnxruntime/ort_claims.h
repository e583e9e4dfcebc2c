// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "core/base/result.h"
#include "core/graph/graph.h"
#include "core/kernel/drawback.h"

namespace fuselab::onnxruntime {

// The operators and element types that the conformance suite proved. Whether a piece is taken is asked of the library besides.
const std::vector<Op>& claimed_operators();
const std::vector<DType>& claimed_types();

// Fails with kUnsupported where the library would take a graph and compute something else, or nothing.
Status may_hold(const Graph& graph);
Drawbacks drawbacks_in(const Graph& graph);

}  // namespace fuselab::onnxruntime
