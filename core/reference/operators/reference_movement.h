// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/reference/operators/operator_row.h"

namespace fuselab::reference {

// Maps each element of a movement's output to its source. Gather needs its indices' values; others ignore them.
SourceMap source_map(const Graph& graph, const Node& node, std::size_t output_index);
SourceMap pad_map(const Movement& movement);
SourceMap trilu_map(const Movement& movement);

}  // namespace fuselab::reference
