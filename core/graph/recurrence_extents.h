// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "core/graph/graph.h"

namespace fuselab {

// The extents of a recurrence in a concrete graph.
struct RecurrenceExtents {
  std::int64_t steps = 0, batch = 0, width = 0, hidden = 0;
};
RecurrenceExtents recurrence_extents(const Graph& graph, const Node& node);

}  // namespace fuselab
