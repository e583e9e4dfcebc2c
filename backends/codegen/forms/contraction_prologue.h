// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "backends/codegen/forms/contraction.h"

namespace fuselab::codegen {

// The value whose memory this one is: behind views, which move nothing.
ValueId memory_of(const Graph& graph, ValueId value);
// Whether a kernel would have to compute it: it is no input of the graph, nor a view of one.
bool is_computed(const Graph& graph, ValueId value);

// A graph around one contraction, taken apart into row programs. Their inputs are the graph's.
struct ContractionParts {
  std::optional<RowProgram> before;  // makes an operand; none where both are inputs
  Side computed = Side::kRight;      // which
  double operations = 0;             // simple ones, of one element of it
  RowProgram after;                  // what follows the contraction, `trailing` axes of whose result form a row
};
Result<ContractionParts> take_apart(const Graph& graph, const Node& core, std::size_t trailing);

}  // namespace fuselab::codegen
