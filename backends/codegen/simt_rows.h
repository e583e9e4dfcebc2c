// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "backends/codegen/ir.h"
#include "backends/codegen/row_passes.h"
#include "backends/codegen/row_program.h"
#include "backends/codegen/simt_walk.h"
#include "core/graph/graph.h"
#include "core/kernel/launch_config.h"

namespace fuselab::codegen {

// Where a row's values lie between the passes over it: the values of axis "keep".
enum class RowKeeping { kReadAgain = 0, kRegisters = 1, kShared = 2 };

// Rows with reductions for many threads: `rows_per_block` rows at once, each by block / rows_per_block threads (a power of two);
// partial results go from thread to thread as `exchange` says. Reads vector, block, rows_per_block, keep, unroll (registers per
// turn where the row is read again), persistent and streaming.
Function lower_simt_rows(const Graph& graph, const RowProgram& program, const LaunchConfig& config, std::int64_t multiprocessors,
                         Exchange exchange);

// The most values of a row that live at once between two passes, where all are kept.
std::int64_t kept_at_once(const RowPlan& plan);

}  // namespace fuselab::codegen
