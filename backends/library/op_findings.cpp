// SPDX-License-Identifier: Apache-2.0
#include "backends/library/op_findings.h"

#include <algorithm>

namespace fuselab::library {

const char* finding_of(std::span<const OpFinding> findings, Op op) {
  const auto found = std::ranges::find(findings, op, &OpFinding::op);
  return found == findings.end() ? nullptr : found->what;
}

bool holds_any(const Graph& graph, std::span<const Op> ops) {
  return std::ranges::any_of(graph.nodes(), [ops](const Node& node) { return std::ranges::find(ops, node.op) != ops.end(); });
}

Drawbacks drawbacks_in(const Graph& graph, std::span<const Op> lose_nan, std::span<const Op> lose_precision) {
  Drawbacks drawbacks;
  if (holds_any(graph, lose_nan)) drawbacks.add(Drawback::kNanLoss);
  if (holds_any(graph, lose_precision)) drawbacks.add(Drawback::kPrecisionLoss);
  return drawbacks;
}

}  // namespace fuselab::library
