// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/graph/graph.h"

namespace fuselab {

// Returns the value that owns the memory of this one: views in between are skipped, since they move nothing.
ValueId memory_of(const Graph& graph, ValueId value);

}  // namespace fuselab
