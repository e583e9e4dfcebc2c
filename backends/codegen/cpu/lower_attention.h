// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "backends/codegen/forms/attention.h"
#include "backends/codegen/ir/ir.h"
#include "core/kernel/launch_config.h"

namespace fuselab::codegen {

// Writes an attention kernel. A task is a block of queries of one head. The scores of each query stay in scratch from their sum to
// the weighted values. Reads vector, tile_n (registers of the result at once), rows_per_task.
Function lower_attention(const Graph& graph, const Attention& attention, const LaunchConfig& config);

}  // namespace fuselab::codegen
