// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>

#include "backends/codegen/ir/family.h"

namespace fuselab::codegen {

// Returns all families in order of preference.
std::span<const Family> families();

// Returns the first family that supports the graph.
// Fails with the reason of the family that the graph's operators belong to: "rows: …".
Result<const Family*> find_family(const Graph& graph, const Target& target);

}  // namespace fuselab::codegen
