// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <vector>

#include "core/base/result.h"
#include "core/graph/graph.h"
#include "core/kernel/drawback.h"

namespace fuselab::openvino {

// The operators that the conformance suite proved in f32. Whether a piece is taken is asked of the library besides.
const std::vector<Op>& claimed_operators();
// OpenVINO's number of an element type that it keeps as it is; nothing for the others, which it computes as one of these.
std::optional<int> element_type(DType dtype);

// Fails with kUnsupported where the library would take a graph and compute something else, or nothing.
Status may_hold(const Graph& graph);
Drawbacks drawbacks_in(const Graph& graph);

}  // namespace fuselab::openvino
