// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <set>
#include <vector>

#include "backends/codegen/row_program.h"

namespace fuselab::codegen {

// One walk over the row: what it reduces, what it stores, and what it keeps for or takes from other walks.
struct RowPass {
  std::vector<int> reductions;
  std::vector<int> outputs;  // positions in RowProgram::outputs
  std::set<int> keeps;       // nodes to write to their stage slot
  std::set<int> takes;       // nodes to read from their stage slot instead of computing them again
};

struct RowPlan {
  std::vector<RowPass> passes;     // by phase
  std::map<int, int> stage_slots;  // node → slot
  std::set<int> needed;            // nodes that reach an output
};

// What a pass leaves for the passes after it.
enum class Keeping {
  kNothing,   // every pass reads and computes again
  kComputed,  // full-row values that were computed
  kAll,       // and those that were read: no input is read twice
};

// Splits a program into its passes.
RowPlan plan_passes(const RowProgram& program, Keeping keeping);

}  // namespace fuselab::codegen
