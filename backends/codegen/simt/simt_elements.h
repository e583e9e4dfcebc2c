// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "backends/codegen/ir/ir.h"
#include "backends/codegen/rows/row_program.h"
#include "core/graph/graph.h"
#include "core/kernel/launch_config.h"

namespace fuselab::codegen {

// Writes an element-wise program for many threads: each takes `items` registers of `vector` neighbouring elements, and the
// registers of a block are adjacent. Reads vector, items, block, persistent (blocks per multiprocessor, 0: a block for each tile)
// and streaming.
Function lower_simt_elements(const Graph& graph, const RowProgram& program, const LaunchConfig& config,
                             std::int64_t multiprocessors);

}  // namespace fuselab::codegen
