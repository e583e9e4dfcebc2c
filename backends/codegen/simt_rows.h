// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "backends/codegen/ir.h"
#include "backends/codegen/row_passes.h"
#include "backends/codegen/row_program.h"
#include "backends/codegen/simt_walk.h"
#include "core/graph/graph.h"
#include "core/kernel/launch_config.h"

namespace fuselab::codegen {

// Where a row's values lie between the passes over it: the values of axis "keep".
enum class RowKeeping {
  kReadAgain = 0,
  kRegisters = 1,
  kShared = 2,        // what was read and what was computed, in the type that is computed in
  kRunning = 3,       // read again, but a softmax's largest and its sum take one walk
  kSharedInputs = 4,  // what was read, in its own type; computed again
};
bool in_shared_memory(RowKeeping keeping);

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

// How the passes over a row are planned for it.
RowPlan row_plan(const RowProgram& program, RowKeeping keeping);

// Shared memory of a row's kept values, in bytes; its start is aligned to 16.
std::int64_t kept_bytes(const Graph& graph, const RowProgram& program, const RowPlan& plan);

// The most values of a row that live at once between two passes, where all are kept.
std::int64_t kept_at_once(const RowPlan& plan);

}  // namespace fuselab::codegen
