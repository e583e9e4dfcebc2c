// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "backends/codegen/ir/ir.h"
#include "backends/codegen/rows/row_program.h"
#include "backends/codegen/simt/simt_rows.h"
#include "core/graph/graph.h"
#include "core/kernel/launch_config.h"

namespace fuselab::codegen {

// Whether one long row is reduced to numbers alone, in one pass: then blocks can share it out.
bool folds_to_numbers(const RowProgram& program);

// Such a program for `blocks` blocks: each folds its part of the row, and a second kernel of one block, Function::after, folds what
// they found, in one order, whatever the order of the blocks. The parts lie in a scratch argument behind the others, `blocks` of
// each reduction. Reads blocks, block, vector, unroll. Needs shuffles.
Function lower_simt_parts(const Graph& graph, const RowProgram& program, const LaunchConfig& config);

}  // namespace fuselab::codegen
