// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>

#include "backends/codegen/ir/family.h"

namespace fuselab::codegen {

// In order of preference.
std::span<const Family> families();

// The first family that supports the graph; or why the one does not that the graph's operators belong to: "rows: …".
Result<const Family*> find_family(const Graph& graph, const Target& target);

}  // namespace fuselab::codegen
