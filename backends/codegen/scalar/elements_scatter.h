// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "backends/codegen/scalar/elements.h"
#include "core/base/result.h"

namespace fuselab::codegen {

// Returns the ScatterElements or ScatterND whose result is the graph's only one, or null. With a reduction the result must hold
// what is computed: in a type of 16 bits a running sum would be rounded at each update.
const Node* final_scatter(const Graph& graph);

// Writes a kernel that copies the data and then goes through the updates once, in their order: of several for one place the last
// stays, or the reduction joins them. A task owns rows or columns of the result in which all their updates stay, where the operator
// has such. Else it owns a piece and takes the updates that fall into it; a piece is as long as there are updates, so that looking
// through them takes no longer than the copy.
// Fails with kUnsupported.
Result<Function> lower_scatter(const Graph& graph, const Node& node, std::int64_t grain);

}  // namespace fuselab::codegen
