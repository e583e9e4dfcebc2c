// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "backends/codegen/ir/family.h"

namespace fuselab::codegen {

// Families for devices of many threads: element-wise programs and rows with reductions. A target's limits that they read:
// max_threads, shared_bytes, registers_per_block, multiprocessors (absent: unknown); lane_shuffles and streaming_stores (0: the
// language has none).
std::span<const Family> simt_families();

// The family that takes the graph; or why none does.
Result<const Family*> find_simt_family(const Graph& graph, const Target& target);

// The operators that these families write kernels of.
std::vector<Op> simt_operators();

}  // namespace fuselab::codegen
