// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "core/graph/graph.h"
#include "core/graph/recurrence_extents.h"
#include "core/ops/recurrence.h"

namespace fuselab::codegen {

// A recurrence as a kernel sees it: which of its arguments is what.
struct RecurrenceKernel {
  const Node* node = nullptr;
  Recurrence recurrence;
  RecurrenceExtents extents;
  DType compute = DType::kF32;
  std::vector<std::size_t> inputs;   // by operand of the operator: the kernel's argument
  std::vector<std::size_t> results;  // by output of the graph: which result of the operator it is

  std::int64_t rows() const { return recurrence.gates() * extents.hidden; }  // of W and of R, of one direction
  std::int64_t directions() const { return static_cast<std::int64_t>(recurrence.directions()); }
};

// Describes a graph of one LSTM, GRU or RNN with nothing but views around it. The graph must outlive the result.
// Fails with kUnsupported and the reason.
Result<RecurrenceKernel> make_recurrence(const Graph& graph);

}  // namespace fuselab::codegen
