// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "backends/codegen/rows/row_passes.h"
#include "backends/codegen/rows/row_program.h"
#include "core/graph/graph.h"

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

// How the passes over a row are planned for it.
RowPlan row_plan(const RowProgram& program, RowKeeping keeping);

// Shared memory of a row's kept values, in bytes; its start is aligned to 16.
std::int64_t kept_bytes(const Graph& graph, const RowProgram& program, const RowPlan& plan);

// The most values of a row that live at once between two passes, where all are kept.
std::int64_t kept_at_once(const RowPlan& plan);

}  // namespace fuselab::codegen
