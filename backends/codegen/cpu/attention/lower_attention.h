// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "backends/codegen/forms/attention.h"
#include "backends/codegen/ir/ir.h"
#include "core/kernel/launch_config.h"

namespace fuselab::codegen {

// Writes an attention kernel. A task is a run of queries of one head.
//   block_rows=1: query by query, its scores by dot products with the keys. The form for few queries.
//   else the task first turns all keys of its head around into panels of tile_n registers. Blocks of block_rows queries follow:
//   their
//     scores by tiles of tile_m queries × tile_n registers, then the weights row by row, then the weighted values by such tiles.
// Reads vector, tile_m, tile_n, block_rows, rows_per_task.
Function lower_attention(const Graph& graph, const Attention& attention, const LaunchConfig& config);

}  // namespace fuselab::codegen
