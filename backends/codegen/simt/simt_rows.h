// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "backends/codegen/ir/ir.h"
#include "backends/codegen/rows/row_program.h"
#include "backends/codegen/simt/simt_walk.h"
#include "core/graph/graph.h"
#include "core/kernel/launch_config.h"

namespace fuselab::codegen {

// What a kernel needs to know of where it will run.
struct RowTarget {
  std::int64_t multiprocessors = 0;  // 0: unknown
  Exchange exchange = Exchange::kShuffles;
  std::int64_t static_shared_bytes = 48 << 10;  // what a block may declare; more is asked for at the launch
};

// Rows with reductions for many threads: `rows_per_block` rows at once, each by block / rows_per_block threads (a power of two);
// partial results go from thread to thread as the target's exchange says. Reads vector, block, rows_per_block, keep, unroll
// (registers per turn where the row is read again), persistent and streaming.
Function lower_simt_rows(const Graph& graph, const RowProgram& program, const LaunchConfig& config, const RowTarget& target);

}  // namespace fuselab::codegen
