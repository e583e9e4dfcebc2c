// SPDX-License-Identifier: Apache-2.0
#include <cstdio>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>

#include "app/cli/shell/help_format.h"
#include "app/cli/shell/json_output.h"
#include "app/cli/shell/plural.h"
#include "app/cli/steps/fused_subject.h"
#include "core/base/plain_text.h"
#include "core/graph/graph_text.h"

namespace fuselab::cli {
namespace {

std::map<std::string, int> operators_of(const Graph& graph) {
  std::map<std::string, int> counts;
  for (const Node& node : graph.nodes())
    ++counts[node.op == Op::kOpaque ? node.opaque_type + " (barrier)" : std::string(name_of(node.op))];
  return counts;
}

nlohmann::json branch_json(const BranchCounts& counts) {
  return {{"operators", counts.operators}, {"barriers", counts.barriers}};
}

nlohmann::json either_json(const ImportCounts& imported) {
  nlohmann::json list = nlohmann::json::array();
  for (const EitherBranch& each : imported.either)
    list.push_back({{"node", each.node}, {"then", branch_json(each.then_branch)}, {"else", branch_json(each.else_branch)}});
  return list;
}

std::string branch_text(const BranchCounts& counts) {
  const std::string barriers = counts.barriers > 0 ? ", " + counted(counts.barriers, "barrier") + " among them" : "";
  return counted(counts.operators, "operator") + barriers;
}

void print_counts(const ImportCounts& imported) {
  for (const EitherBranch& each : imported.either)
    std::printf("  %s takes either of two branches: %s, or %s; all of them are counted\n", plain_line(each.node).c_str(),
                branch_text(each.then_branch).c_str(), branch_text(each.else_branch).c_str());
  if (imported.loops > 0)
    std::printf("  %s written out, %s\n", counted(imported.loops, "loop").c_str(), counted(imported.trips, "trip").c_str());
  if (imported.folded_constants > 0)
    std::printf("  %s folded: what they give was known\n", counted(imported.folded_constants, "operator").c_str());
}

ExitCode import_subject(Invocation& invocation, const FusedSubject& of) {
  const auto fusion = fused(invocation, of);
  if (!fusion.ok()) return fail(invocation, fusion.error());
  const Graph& graph = fusion.value().graph;
  const auto counts = operators_of(graph);
  if (invocation.json) {
    return print_document({{"schema", "fuselab.import/1"},
                           {"subject", of.subject},
                           {"nodes", graph.nodes().size()},
                           {"inputs", graph.inputs().size()},
                           {"outputs", graph.outputs().size()},
                           {"operators", counts},
                           {"covered_share", fusion.value().covered_share},
                           {"either", either_json(fusion.value().imported)},
                           {"loops", fusion.value().imported.loops},
                           {"trips", fusion.value().imported.trips},
                           {"folded_constants", fusion.value().imported.folded_constants},
                           {"folded_norms", fusion.value().imported.folded_norms},
                           {"notes", fusion.value().notes},
                           {"graph", named_text(graph)}});
  }
  std::printf("%s, %s, %s; %s of the operators covered\n", counted(std::ssize(graph.nodes()), "node").c_str(),
              counted(std::ssize(graph.inputs()), "input or weight", "inputs and weights").c_str(),
              counted(std::ssize(graph.outputs()), "output").c_str(), percent(fusion.value().covered_share).c_str());
  for (const auto& [name, count] : counts) std::printf("  %4d  %s\n", count, plain_line(name).c_str());
  print_counts(fusion.value().imported);
  print_open_extents(graph);
  print_notes(fusion.value());
  std::puts("--json adds the whole graph as text.");
  return ExitCode::kOk;
}

}  // namespace

void add_import_verb(CLI::App& command, Invocation& invocation) {
  const auto of = std::make_shared<FusedSubject>();
  of->level = "O0";
  add_fused_subject(command, *of);
  show_examples(command, {"fuselab import resnet50", "fuselab import model.onnx --shape batch=8"});
  command.callback([&invocation, of] { invocation.action = [&invocation, of] { return import_subject(invocation, *of); }; });
}

}  // namespace fuselab::cli
