// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "backends/codegen/ir/family.h"
#include "core/backend/backend.h"

namespace fuselab::codegen {

// Returns the families for devices of many threads. They read these limits of a target: max_threads, shared_bytes,
// registers_per_block, multiprocessors (absent: unknown); lane_shuffles and streaming_stores (0: the language has none).
std::span<const Family> simt_families();

// Returns the family that takes the graph.
// Fails with the reason why none does.
Result<const Family*> find_simt_family(const Graph& graph, const Target& target);

// Returns the operators that these families write kernels for.
std::vector<Op> simt_operators();

// Returns the capabilities of a generator of these families, whose kernels take at most so many tensors.
BackendCapabilities simt_capabilities(bool has_doubles, int most_tensors);

}  // namespace fuselab::codegen
