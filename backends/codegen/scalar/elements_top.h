// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "backends/codegen/scalar/elements.h"

// TopK: the first k of a row by size, found in one walk along the row. The candidates so far form a binary heap whose root is the
// last of the k, so that most elements are compared once; it is sorted in place (Williams 1964, Algorithm 232). The heap needs no
// memory of its own: it is one of the results. Of equal elements the lower place comes first, and NaN is larger than all numbers.
namespace fuselab::codegen {

// The rows that a kernel of TopK walks along and its results.
struct TopRows {
  const Node* node = nullptr;
  std::size_t axis = 0;
  std::vector<std::int64_t> in, out;  // extents of the operand and of the results
  std::vector<bool> holds_places;     // by output of the graph: it is the second result (places), not the first (values)
  std::size_t heap = 0;               // the output whose memory is the heap: one of places if there is one, else one of values

  std::int64_t length() const { return in[axis]; }
  std::int64_t kept() const { return out[axis]; }
  std::int64_t rows() const;
};

// Describes the graph's TopK; nothing where it has none. The graph must outlive the result.
// Fails with kUnsupported where something other than views stands behind or beside it.
Result<std::optional<TopRows>> top_rows(const Graph& graph);

// Appends the statements for all results of the row with this number.
void write_top_row(Elements& elements, const Function& function, const TopRows& top, const ExprPtr& row, Body& body);

}  // namespace fuselab::codegen
