// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include "core/base/result.h"
#include "core/graph/graph.h"

namespace fuselab::engine {

// The kernels of the user's own whose files were named to this process. The text of such a kernel is part of its graph, and a graph
// may also come from a database or a bundle of somebody else: only what was named is compiled. Thread-safe.

void note_given(const Graph& graph);

// Fails with kUntrusted for the canonical text of a graph that holds a kernel whose file was not named. All other graphs pass.
Status check_given(std::string_view canonical);

}  // namespace fuselab::engine
