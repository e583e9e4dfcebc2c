// SPDX-License-Identifier: Apache-2.0
#include "backends/library/claims.h"

#include <algorithm>

namespace fuselab::library {

const char* finding_of(std::span<const OpFinding> findings, Op op) {
  const auto found = std::ranges::find(findings, op, &OpFinding::op);
  return found == findings.end() ? nullptr : found->what;
}

Status has_elements(const Graph& graph) {
  for (const Value& value : graph.values()) {
    const auto count = element_count(value.type.shape);
    if (!count.ok() || count.value() == 0) return Error{ErrorCode::kUnsupported, "a tensor without elements"};
  }
  return {};
}

bool holds_any(const Graph& graph, std::span<const Op> operators) {
  return std::ranges::any_of(graph.nodes(),
                             [operators](const Node& node) { return std::ranges::find(operators, node.op) != operators.end(); });
}

Drawbacks drawbacks_in(const Graph& graph, std::span<const Op> lose_nan, std::span<const Op> lose_precision) {
  Drawbacks drawbacks;
  if (holds_any(graph, lose_nan)) drawbacks.add(Drawback::kNanLoss);
  if (holds_any(graph, lose_precision)) drawbacks.add(Drawback::kPrecisionLoss);
  return drawbacks;
}

}  // namespace fuselab::library
