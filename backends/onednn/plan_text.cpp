// SPDX-License-Identifier: Apache-2.0
#include "backends/onednn/plan_text.h"

#include <algorithm>

#include "core/graph/graph_text.h"

namespace fuselab::onednn {
namespace {

constexpr std::string_view kHeader = "onednn plan 1";

Error corrupt(const std::string& what) {
  return {ErrorCode::kCorrupt, "not a plan for oneDNN: " + what};
}

}  // namespace

std::string write_plan(const PlanText& plan) {
  std::string text(kHeader);
  // The canonical text would list the inputs in another order than the kernel takes them.
  text += "\nlibrary " + plan.library_version + "\nisa " + plan.isa + "\nconfig " + plan.config.text() + "\ngraph " +
          named_text(plan.graph) + "\n";
  for (const std::string& each : plan.implementations) text += "implementation " + each + "\n";
  for (const std::string& each : plan.words) text += "# " + each + "\n";
  return text;
}

Result<PlanText> read_plan(std::string_view text) {
  PlanText plan;
  std::string graph;
  bool first = true;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    const std::string_view line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    if (first && line != kHeader) return corrupt("its first line is another");
    if (first || line.substr(0, 2) == "# ") {
      first = false;
      continue;
    }
    const std::size_t space = std::min(line.find(' '), line.size());
    const std::string_view name = line.substr(0, space);
    const std::string value(line.substr(std::min(space + 1, line.size())));
    if (name == "library") {
      plan.library_version = value;
    } else if (name == "isa") {
      plan.isa = value;
    } else if (name == "config") {
      FL_TRY(plan.config, LaunchConfig::parse(value));
    } else if (name == "graph") {
      graph = value;
    } else if (name == "implementation") {
      plan.implementations.push_back(value);
    } else {
      return corrupt("unknown line '" + std::string(name.substr(0, 40)) + "'");
    }
  }
  if (graph.empty() || plan.implementations.empty()) return corrupt("it has no graph or no primitive");
  FL_TRY(plan.graph, parse_graph(graph));
  if (!plan.graph.is_concrete()) return corrupt("its graph has unbound symbols");
  return plan;
}

}  // namespace fuselab::onednn
