// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <vector>

#include "backends/codegen/forms/contraction.h"

namespace fuselab::codegen {

// Returns true when a kernel would have to compute the value: it is neither an input of the graph nor a view of one.
bool is_computed(const Graph& graph, ValueId value);

// A graph around one contraction, split into row programs. Their inputs are the graph's.
struct ContractionParts {
  std::optional<RowProgram> before;  // makes an operand; none where both are inputs
  Side computed = Side::kRight;      // that operand
  double operations = 0;             // simple operations for one element of that operand
  RowProgram after;                  // what follows the contraction, whose result's last `trailing` axes form a row
};
// Returns the operators `nodes` of a graph as a program behind the one of them that makes `core`; its inputs are the graph's.
Result<RowProgram> rows_behind(const Graph& graph, const std::vector<NodeId>& nodes, ValueId core, std::size_t trailing);

Result<ContractionParts> take_apart(const Graph& graph, const Node& core, std::size_t trailing);

}  // namespace fuselab::codegen
