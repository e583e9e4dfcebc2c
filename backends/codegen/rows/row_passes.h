// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <set>
#include <vector>

#include "backends/codegen/rows/row_program.h"
#include "core/graph/graph.h"

namespace fuselab::codegen {

// A row's sum of exp(x - the largest x), computed in the same walk that finds the largest: the sum so far is scaled down when a
// larger x is found (Milakov and Gimelshein, "Online normalizer calculation for softmax", 2018).
struct RunningSum {
  int sum = 0;
  int largest = 0;
  int operand = 0;  // x
};

// One walk over the row: its reductions, its stores, and the values that it keeps for or takes from other walks.
struct RowPass {
  std::vector<int> reductions;
  std::vector<RunningSum> running;  // their largest values are among `reductions`
  std::vector<int> outputs;         // positions in RowProgram::outputs
  std::set<int> keeps;              // nodes to write to their stage slot
  bool prefetches = false;          // it asks for the inputs of the next row
  std::set<int> takes;              // nodes to read from their stage slot instead of computing them again
};

struct RowPlan {
  std::vector<RowPass> passes;     // by phase
  std::map<int, int> stage_slots;  // node → slot
  std::set<int> needed;            // nodes that reach an output
  bool as_stored = false;          // slots hold inputs in their own types
};

// The values that a pass keeps for later passes.
enum class Keeping {
  kNothing,   // every pass reads and computes again
  kComputed,  // full-row values that were computed
  kAll,       // also values that were read: no input is read twice
  kInputs,    // values that were read, but none that were computed
};

// Returns the sums that can run along with their largest values.
std::vector<RunningSum> running_sums(const RowProgram& program);

// Splits a program into its passes. With `runs`, running_sums() need no pass of their own; nothing is kept then.
RowPlan plan_passes(const RowProgram& program, Keeping keeping, bool runs = false);

// Returns the type of a node's slot in memory: the type that is computed in, or a floating input's own type where inputs are kept
// as stored.
DType kept_type(const Graph& graph, const RowProgram& program, const RowPlan& plan, int node);

}  // namespace fuselab::codegen
