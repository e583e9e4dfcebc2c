// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "backends/codegen/rows/row_passes.h"
#include "backends/codegen/rows/row_program.h"
#include "core/graph/graph.h"

namespace fuselab::codegen {

// The place of a row's values between the passes over it: the values of axis "keep".
enum class RowKeeping {
  kReadAgain = 0,
  kRegisters = 1,
  kShared = 2,        // values read and values computed, in the type that is computed in
  kRunning = 3,       // read again, but a softmax's largest and its sum are found in one walk
  kSharedInputs = 4,  // values read, in their own type; others are computed again
};
bool in_shared_memory(RowKeeping keeping);

// Returns the plan of the passes over a row for this way of keeping.
RowPlan row_plan(const RowProgram& program, RowKeeping keeping);

// Returns the bytes of shared memory for a row's kept values; its start is aligned to 16.
std::int64_t kept_bytes(const Graph& graph, const RowProgram& program, const RowPlan& plan);

// Returns the largest number of a row's values that live at once between two passes, where all are kept.
std::int64_t kept_at_once(const RowPlan& plan);

}  // namespace fuselab::codegen
