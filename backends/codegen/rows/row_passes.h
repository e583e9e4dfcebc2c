// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <set>
#include <vector>

#include "backends/codegen/rows/row_program.h"
#include "core/graph/graph.h"

namespace fuselab::codegen {

// A row's sum of exp(x - the largest x), added up in the very walk that finds the largest: what was added up before shrinks as
// the largest grows (Milakov and Gimelshein, "Online normalizer calculation for softmax", 2018).
struct RunningSum {
  int sum = 0;
  int largest = 0;
  int operand = 0;  // x
};

// One walk over the row: what it reduces, what it stores, and what it keeps for or takes from other walks.
struct RowPass {
  std::vector<int> reductions;
  std::vector<RunningSum> running;  // their largest are among `reductions`
  std::vector<int> outputs;         // positions in RowProgram::outputs
  std::set<int> keeps;              // nodes to write to their stage slot
  std::set<int> takes;              // nodes to read from their stage slot instead of computing them again
};

struct RowPlan {
  std::vector<RowPass> passes;     // by phase
  std::map<int, int> stage_slots;  // node → slot
  std::set<int> needed;            // nodes that reach an output
  bool as_stored = false;          // slots hold inputs in their own types
};

// What a pass leaves for the passes after it.
enum class Keeping {
  kNothing,   // every pass reads and computes again
  kComputed,  // full-row values that were computed
  kAll,       // and those that were read: no input is read twice
  kInputs,    // those that were read, and nothing that was computed
};

// The sums that can run along with their largest.
std::vector<RunningSum> running_sums(const RowProgram& program);

// Splits a program into its passes. `runs`: running_sums() need no pass of their own; then nothing is kept.
RowPlan plan_passes(const RowProgram& program, Keeping keeping, bool runs = false);

// What a node's slot in memory holds: what is computed with, or an input's own type where all of its values come back the same.
DType kept_type(const Graph& graph, const RowProgram& program, const RowPlan& plan, int node);

}  // namespace fuselab::codegen
