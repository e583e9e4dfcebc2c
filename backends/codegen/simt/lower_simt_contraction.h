// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "backends/codegen/forms/contraction.h"
#include "backends/codegen/ir/ir.h"
#include "core/kernel/launch_config.h"

namespace fuselab::codegen {

// Writes a contraction for many threads. A block of `rows_of_block` × `columns_of_block` threads computes a tile; each thread holds
// `tile_m` rows × `tile_n` registers of `vector` columns of it. With `depth` 0 operands are read from their own memory; else
// `depth` steps of k at a time are copied to memory that the block shares. `unroll` steps of k are unrolled.
Function lower_simt_contraction(const Graph& graph, const ContractionKernel& kernel, const LaunchConfig& config);

// Returns the bytes of shared memory of such a kernel, as an expression over the configuration for a constraint.
std::string simt_contraction_bytes(const Contraction& contraction);

}  // namespace fuselab::codegen
