// SPDX-License-Identifier: Apache-2.0
#include "app/engine/subject/operator_counts.h"

#include <algorithm>

namespace fuselab::engine {
namespace {

std::string called(const Graph& graph, NodeId id) {
  const Node& node = graph.node(id);
  return node.name.empty() ? graph.value(node.outputs.front()).name : node.name;
}

}  // namespace

OperatorCounts count_operators(const FusionResult& fusion, const WhyNotRun& why_not) {
  OperatorCounts counts;
  for (const FusedOperation& piece : fusion.operations) {
    for (const NodeId id : piece.nodes) {
      if (fusion.repeats(id)) continue;
      const std::optional<std::string> reason = why_not(piece, id);
      ++counts.operators;
      counts.read += fusion.graph.node(id).op != Op::kOpaque ? 1 : 0;
      counts.run += reason ? 0 : 1;
      if (reason) note_not_run(counts.not_run, fusion.graph, id, "", *reason);
    }
  }
  return counts;
}

void note_not_run(std::vector<NotRun>& list, const Graph& graph, NodeId id, const std::string& device, const std::string& reason) {
  const Node& node = graph.node(id);
  const std::string op = node.op == Op::kOpaque ? node.opaque_type : std::string(name_of(node.op));
  const auto known = std::find_if(list.begin(), list.end(), [&](const NotRun& each) {
    return each.op == op && each.reason == reason && each.device == device;
  });
  if (known != list.end()) {
    ++known->count;
  } else {
    list.push_back({op, reason, called(graph, id), 1, device});
  }
}

std::string not_run_text(const NotRun& each) {
  const std::string times = each.count > 1 ? " ×" + std::to_string(each.count) + " (the first is '" : " ('";
  return (each.device.empty() ? "" : "not on " + each.device + ": ") + each.op + times + each.first + "'): " + each.reason;
}

}  // namespace fuselab::engine
