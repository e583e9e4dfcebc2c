// SPDX-License-Identifier: Apache-2.0
#include "backends/library/claims.h"

#include <algorithm>

namespace fuselab::library {

Status has_elements(const Graph& graph) {
  for (const Value& value : graph.values()) {
    const auto count = element_count(value.type.shape);
    if (!count.ok() || count.value() == 0) return Error{ErrorCode::kUnsupported, "a tensor without elements"};
  }
  return {};
}

bool holds_any(const Graph& graph, std::span<const Op> operators) {
  return std::any_of(graph.nodes().begin(), graph.nodes().end(), [operators](const Node& node) {
    return std::find(operators.begin(), operators.end(), node.op) != operators.end();
  });
}

}  // namespace fuselab::library
