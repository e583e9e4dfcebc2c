// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "backends/codegen/scalar/elements.h"

// TopK: the first k of a row by size, found in one walk along the row. What was found so far is a binary heap whose root is the
// last of the k, so that most elements are looked at once; it is sorted where it lies (Williams 1964, Algorithm 232). The heap
// needs no memory of its own: it is one of the results. Of equal elements the lower place comes first, and NaN is more than all
// numbers.
namespace fuselab::codegen {

// What a kernel of TopK goes along and writes.
struct TopRows {
  const Node* node = nullptr;
  std::size_t axis = 0;
  std::vector<std::int64_t> in, out;  // extents of the operand and of the results
  std::vector<bool> holds_places;     // of each output of the graph: the second result, or the first
  std::size_t heap = 0;               // the output whose memory is the heap: places where there are some, else values

  std::int64_t length() const { return in[axis]; }
  std::int64_t kept() const { return out[axis]; }
  std::int64_t rows() const;
};

// How the graph's TopK is written; nothing where it has none. kUnsupported where something other than views stands behind or beside
// it. The graph must outlive the result.
Result<std::optional<TopRows>> top_rows(const Graph& graph);

// Appends all results of the row with this number.
void write_top_row(Elements& elements, const Function& function, const TopRows& top, const ExprPtr& row, Body& body);

}  // namespace fuselab::codegen
