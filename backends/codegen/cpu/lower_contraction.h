// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "backends/codegen/forms/contraction.h"
#include "backends/codegen/ir/ir.h"
#include "core/kernel/launch_config.h"

namespace fuselab::codegen {

// Writes a contraction kernel. Tiles of tile_m rows × tile_n registers accumulate over k; the epilogue is applied to the registers
// before they are stored. A task is a strip of columns for a block of rows; with pack=1 it first copies its strip of the right
// operand, in the order that the tiles read it, into scratch, applying the right operand's prologue; with pack=2 all strips of a
// constant right operand were laid out so ahead. A prologue of the left operand
// runs first, for all rows of the task, which then handles several strips: 1 / column_parts of the columns. Few rows against a
// right operand by columns become dot products instead. Reads vector, tile_m, tile_n, rows_per_task, pack, loop_order,
// column_parts.
Function lower_contraction(const Graph& graph, const ContractionKernel& kernel, const LaunchConfig& config);

// State whether the strip must or may be packed; when both return false it never is.
bool must_pack(const ContractionKernel& kernel);
bool may_pack(const Contraction& contraction);
// Returns true when the right operand is constant and shared by all batches, so that its strips can be laid out ahead.
bool may_pack_ahead(const Graph& graph, const ContractionKernel& kernel);

}  // namespace fuselab::codegen
