// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>

#include "core/base/result.h"
#include "core/graph/graph.h"

namespace fuselab::library {

// Fails with kUnsupported where a tensor of a concrete graph has no elements: no library is asked to compute nothing.
Status has_elements(const Graph& graph);
// Returns whether a graph holds one of these operators.
bool holds_any(const Graph& graph, std::span<const Op> operators);

}  // namespace fuselab::library
