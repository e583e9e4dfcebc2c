// SPDX-License-Identifier: Apache-2.0
#include "backends/library/plan_text.h"

#include <algorithm>

#include "core/graph/graph_text.h"

namespace fuselab::library {
namespace {

constexpr std::string_view kHeader = "library plan 1";
constexpr std::string_view kProgramLine = "program";

Error no_plan(const std::string& what) {
  return {ErrorCode::kCorrupt, "not a library's plan: " + what};
}

std::string taken_line(std::string_view& text) {
  const std::size_t end = std::min(text.find('\n'), text.size());
  std::string line(text.substr(0, end));
  text.remove_prefix(std::min(end + 1, text.size()));
  return line;
}

std::string named(const std::string& backend, const std::string& version, const std::string& build, const std::string& settings) {
  return backend + " " + version + (build.empty() ? "" : " (" + build + ")") + " with " + settings;
}

}  // namespace

PlanText plan_for(const LibraryFacts& facts, const LaunchConfig& config, const Graph& graph, std::vector<std::string> steps,
                  std::string program) {
  return {facts.id, facts.version, facts.build, facts.settings, config, graph, std::move(steps), std::move(program)};
}

std::string write_plan(const PlanText& plan) {
  std::string text(kHeader);
  // The canonical text would list the inputs in another order than the kernel takes them.
  text += "\nbackend " + plan.backend + "\nversion " + plan.version + "\nbuild " + plan.build + "\nsettings " + plan.settings +
          "\nconfig " + plan.config.text() + "\ngraph " + named_text(plan.graph) + "\n";
  for (const std::string& each : plan.steps) text += "# " + each + "\n";
  if (!plan.program.empty()) text += std::string(kProgramLine) + "\n" + plan.program;
  return text;
}

Result<PlanText> read_plan(std::string_view text, const LibraryFacts& facts) {
  if (taken_line(text) != kHeader) return no_plan("its first line is another");
  PlanText plan;
  std::string graph;
  while (!text.empty()) {
    const std::string line = taken_line(text);
    if (line.compare(0, 2, "# ") == 0) continue;
    if (line == kProgramLine) {
      plan.program = text;
      break;
    }
    const std::size_t space = std::min(line.find(' '), line.size());
    const std::string name = line.substr(0, space);
    const std::string value = line.substr(std::min(space + 1, line.size()));
    if (name == "backend") {
      plan.backend = value;
    } else if (name == "version") {
      plan.version = value;
    } else if (name == "build") {
      plan.build = value;
    } else if (name == "settings") {
      plan.settings = value;
    } else if (name == "config") {
      FL_TRY(plan.config, LaunchConfig::parse(value));
    } else if (name == "graph") {
      graph = value;
    } else {
      return no_plan("unknown line '" + name.substr(0, 40) + "'");
    }
  }
  if (graph.empty()) return no_plan("it has no graph");
  const std::string theirs = named(plan.backend, plan.version, plan.build, plan.settings);
  const std::string ours = named(facts.id, facts.version, facts.build, facts.settings);
  if (theirs != ours) return Error{ErrorCode::kUnsupported, "the plan is for " + theirs + ", here is " + ours};
  FL_TRY(plan.graph, parse_graph(graph));
  if (!plan.graph.is_concrete()) return no_plan("its graph has unbound symbols");
  return plan;
}

Result<PlanText> read_plan(const CompiledKernel& kernel, const LibraryFacts& facts) {
  const std::string_view text(reinterpret_cast<const char*>(kernel.binary.data.data()), kernel.binary.data.size());
  FL_TRY(PlanText plan, read_plan(text, facts));
  if (plan.graph.inputs().size() + plan.graph.outputs().size() == kernel.abi.arguments.size()) return plan;
  return Error{ErrorCode::kCorrupt, "the plan takes other arguments than its kernel"};
}

}  // namespace fuselab::library
