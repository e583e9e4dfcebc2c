// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "backends/codegen/ir/ir.h"
#include "backends/codegen/rows/row_program.h"
#include "backends/codegen/simt/simt_rows.h"
#include "core/graph/graph.h"
#include "core/kernel/launch_config.h"

namespace fuselab::codegen {

// Returns true for one long row that is only reduced to numbers, in one pass: blocks can share it.
bool folds_to_numbers(const RowProgram& program);

// Writes such a program for `blocks` blocks. Each folds its part of the row, and a second kernel of one block, Function::after,
// folds their results in a fixed order, whatever the order of the blocks. The parts lie in an additional scratch argument at the
// end, `blocks` of each reduction. Reads blocks, block, vector, unroll. Needs shuffles.
Function lower_simt_parts(const Graph& graph, const RowProgram& program, const LaunchConfig& config, std::int64_t warp);

}  // namespace fuselab::codegen
