// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "backends/codegen/ir/ir.h"
#include "backends/codegen/rows/row_program.h"
#include "core/graph/graph.h"
#include "core/kernel/launch_config.h"

namespace fuselab::codegen {

// Writes a row program as a kernel. Tasks are blocks of rows (or of columns where rows are few and long), and each row is walked
// once per phase. Reads vector, unroll, nontemporal, and grain (element-wise) or rows_per_task and stage (row groups).
Function lower_rows(const Graph& graph, const RowProgram& program, const LaunchConfig& config);

// Returns false where what a later walk would take from memory is computed as fast from its input.
bool keeping_saves_work(const RowProgram& program);

// Returns the number of values per row that stage=1 keeps for later passes; 0 where staging would change nothing.
int staged_values(const RowProgram& program);

// Returns true when vector stores of this width always fall on aligned addresses.
bool rows_are_aligned(const RowProgram& program, std::int64_t lanes);

}  // namespace fuselab::codegen
