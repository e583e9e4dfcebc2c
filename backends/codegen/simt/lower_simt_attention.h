// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "backends/codegen/forms/attention.h"
#include "backends/codegen/ir/ir.h"
#include "core/kernel/launch_config.h"

namespace fuselab::codegen {

// Writes attention for many threads. A block computes one query's result, and its scores lie in memory that the block shares. Reads
// block (threads) and vector (elements that a dot product takes at once, where vectors are contiguous).
Function lower_simt_attention(const Graph& graph, const Attention& attention, const LaunchConfig& config);

// Returns the bytes of shared memory for a block of this many threads.
std::int64_t simt_attention_bytes(const Attention& attention, std::int64_t threads);

}  // namespace fuselab::codegen
