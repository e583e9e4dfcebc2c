// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "backends/codegen/forms/movement.h"
#include "backends/codegen/ir/ir.h"
#include "core/kernel/launch_config.h"

namespace fuselab::codegen {

// Writes a movement kernel. Contiguous runs are copied as a whole; transposed axes are copied tile by tile, so that both sides stay
// in the caches. Reads grain (elements per task) and tile.
Function lower_movement(const Graph& graph, const Movement& movement, const LaunchConfig& config);

}  // namespace fuselab::codegen
