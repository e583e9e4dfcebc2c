// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "backends/codegen/forms/attention.h"
#include "backends/codegen/ir/ir.h"
#include "core/kernel/launch_config.h"

namespace fuselab::codegen {

// Attention for many threads: a block computes one query's result, its scores lie in memory that the block shares. Reads block
// (threads) and vector (elements that a dot product takes at once, where vectors are contiguous).
Function lower_simt_attention(const Graph& graph, const Attention& attention, const LaunchConfig& config);

// Bytes of shared memory for a block of so many threads.
std::int64_t simt_attention_bytes(const Attention& attention, std::int64_t threads);

}  // namespace fuselab::codegen
