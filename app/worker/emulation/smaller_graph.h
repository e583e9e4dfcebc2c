// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>

#include "core/graph/graph.h"

namespace fuselab::worker {

// Returns the same operators over smaller tensors: each extent above 16 becomes a small part of it, where all shapes still agree
// and `accepts` says yes. Equal extents stay equal, and a multiple of another extent stays one where the shapes ask for it.
Graph smaller_graph(const Graph& graph, const std::function<bool(const Graph&)>& accepts);

}  // namespace fuselab::worker
