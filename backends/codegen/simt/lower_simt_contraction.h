// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "backends/codegen/forms/contraction.h"
#include "backends/codegen/ir/ir.h"
#include "core/kernel/launch_config.h"

namespace fuselab::codegen {

// A contraction for many threads. A block of `rows_of_block` × `columns_of_block` threads computes a tile; each thread holds
// `tile_m` rows × `tile_n` registers of `vector` columns of it. With `depth` 0 operands are read where they lie; else `depth` steps
// of k at a time are brought into memory that the block shares. `unroll` steps of k are written at once.
Function lower_simt_contraction(const Graph& graph, const ContractionKernel& kernel, const LaunchConfig& config);

// Bytes of shared memory that such a kernel takes, as a constraint's expression of the configuration.
std::string simt_contraction_bytes(const Contraction& contraction);

}  // namespace fuselab::codegen
