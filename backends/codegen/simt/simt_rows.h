// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "backends/codegen/ir/ir.h"
#include "backends/codegen/rows/row_program.h"
#include "backends/codegen/simt/simt_walk.h"
#include "core/graph/graph.h"
#include "core/kernel/launch_config.h"

namespace fuselab::codegen {

// The facts about its target that a kernel needs.
struct RowTarget {
  std::int64_t multiprocessors = 0;  // 0: unknown
  Exchange exchange = Exchange::kShuffles;
  std::int64_t warp = kWarp;
  std::int64_t static_shared_bytes = 48 << 10;  // largest static shared memory of a block; more is requested at the launch
};

// Writes rows with reductions for many threads: `rows_per_block` rows at once, each by block / rows_per_block threads (a power of
// two). Threads exchange partial results in the target's way (Exchange). Reads vector, block, rows_per_block, keep, unroll
// (registers per turn where the row is read again), persistent and streaming.
Function lower_simt_rows(const Graph& graph, const RowProgram& program, const LaunchConfig& config, const RowTarget& target);

}  // namespace fuselab::codegen
