// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "backends/codegen/ir.h"
#include "backends/codegen/movement.h"
#include "core/kernel/launch_config.h"

namespace fuselab::codegen {

// Runs of neighbours are copied as a whole; transposed axes go tile by tile, so that both sides stay in the caches.
// Reads grain (elements per task) and tile.
Function lower_movement(const Graph& graph, const Movement& movement, const LaunchConfig& config);

}  // namespace fuselab::codegen
