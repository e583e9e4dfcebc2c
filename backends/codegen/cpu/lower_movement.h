// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "backends/codegen/forms/movement.h"
#include "backends/codegen/ir/ir.h"
#include "core/kernel/launch_config.h"

namespace fuselab::codegen {

// Writes a movement kernel. Contiguous runs are copied as a whole; transposed axes are copied tile by tile, so that both sides stay
// in the caches, and in squares of registers where elements are reals as wide as sums. With nontemporal=1 whole registers bypass
// the caches. Reads grain (elements per task), tile, vector and nontemporal.
Function lower_movement(const Graph& graph, const Movement& movement, const LaunchConfig& config);

// Returns true when registers hold the elements as they lie in memory.
bool moved_in_registers(const Graph& graph);
// Returns true when every run of the result begins and ends with a register of so many lanes.
bool is_aligned(const BlockCopy& copy, std::int64_t lanes);

}  // namespace fuselab::codegen
