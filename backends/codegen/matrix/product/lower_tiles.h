// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "backends/codegen/ir/ir.h"
#include "backends/codegen/matrix/product/matrix_product.h"
#include "core/kernel/launch_config.h"

namespace fuselab::codegen {

// Returns the kernel: resources/kernels/cuda/skeletons/tiles_mma.cuh with what it leaves open.
Function lower_tiles(const Graph& graph, const MatrixProduct& product, const LaunchConfig& config);

}  // namespace fuselab::codegen
