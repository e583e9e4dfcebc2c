// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/graph/graph.h"
#include "core/tensor/tensor.h"

namespace fuselab {

// What an index may name.
struct IndexRange {
  std::int64_t entries = 0;
  bool from_end = false;                     // negative ones count from the end
  std::optional<std::int64_t> ignored = {};  // names nothing, wherever it lies
  std::int64_t least() const { return from_end ? -entries : 0; }
  bool holds(std::int64_t index) const { return (index >= least() && index < entries) || index == ignored; }
};

// Returns what the numbers of operand `position` may name: one range for all, or one for each column of tuples. None where they are
// no indices. Types are concrete.
std::vector<IndexRange> index_ranges(const Graph& graph, const Node& node, std::size_t position);

// The first index out of range among the numbers of a tensor.
struct WrongIndex {
  Op op;  // that reads it
  IndexRange range;
  std::int64_t index = 0, at = 0;  // `at`: its place in the tensor, in row-major order
  std::int64_t count = 1;          // numbers of the tensor that are out of range for this operator
};
// Looks through the numbers of a value that operators read as indices: as it is, or regrouped, reordered, repeated or widened.
std::optional<WrongIndex> find_wrong_index(const Graph& graph, ValueId value, const RealTensor& numbers);
// Returns whether find_wrong_index() has anything to look for.
bool names_entries(const Graph& graph, ValueId value);

// Returns the place of an element in row-major order: "[1,0]"; of a scalar "".
std::string place_text(std::int64_t at, const TensorType& type);

// Returns "index 3 at [1] is out of range: Gather reads one of 3 entries, -3 to 2".
std::string wrong_index_text(const WrongIndex& wrong, const TensorType& type);

}  // namespace fuselab
