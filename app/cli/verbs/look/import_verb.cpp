// SPDX-License-Identifier: Apache-2.0
#include <cstdio>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>

#include "app/cli/output/fuse_statistics.h"
#include "app/cli/shell/help_format.h"
#include "app/cli/shell/json_output.h"
#include "app/cli/steps/fused_subject.h"
#include "app/engine/subject/model_facts.h"
#include "core/base/plain_text.h"
#include "core/base/words.h"
#include "core/graph/graph_text.h"

namespace fuselab::cli {
namespace {

std::map<std::string, int> operators_of(const Graph& graph) {
  std::map<std::string, int> counts;
  for (const Node& node : graph.nodes())
    ++counts[node.op == Op::kOpaque ? node.opaque_type + " (barrier)" : std::string(name_of(node.op))];
  return counts;
}

void print_weights(const std::vector<engine::ModelWeight>& weights) {
  if (weights.empty()) return;
  Bytes together;
  for (const engine::ModelWeight& weight : weights) together.count += weight.size.value_or(Bytes{}).count;
  const engine::ModelWeight& largest = weights.front();
  std::printf("%s, %s; the largest: %s %s, %s\n", counted(std::ssize(weights), "weight").c_str(), format_bytes(together).c_str(),
              plain_line(largest.name).c_str(), type_text(largest.type).c_str(), plain_line(weight_source_text(largest)).c_str());
}

nlohmann::json weights_json(const std::vector<engine::ModelWeight>& weights) {
  nlohmann::json all = nlohmann::json::array();
  for (const engine::ModelWeight& weight : weights) {
    all.push_back({{"name", weight.name}, {"type", type_text(weight.type)}, {"from", weight_source_text(weight)}});
    if (weight.size) all.back()["bytes"] = weight.size->count;
  }
  return all;
}

nlohmann::json barriers_json(const std::vector<engine::BarrierCause>& causes) {
  nlohmann::json all = nlohmann::json::array();
  for (const engine::BarrierCause& cause : causes)
    all.push_back({{"operator", cause.op},
                   {"because", cause.because},
                   {"first", cause.first},
                   {"operators", cause.operators},
                   {"taken_along", cause.taken_along}});
  return all;
}

nlohmann::json open_extents_json(const std::vector<engine::OpenExtent>& open) {
  nlohmann::json all = nlohmann::json::array();
  for (const engine::OpenExtent& extent : open) all.push_back(extent.symbol);
  return all;
}

ExitCode import_subject(Invocation& invocation, const FusedSubject& of) {
  const auto fusion = fused(invocation, of);
  if (!fusion.ok()) return fail(invocation, fusion.error());
  const Graph& graph = fusion.value().graph;
  const auto counts = operators_of(graph);
  const auto numbers = numbers_of(of.values);
  if (!numbers.ok()) return fail(invocation, numbers.error());
  const auto facts =
      engine::model_facts(invocation.config, of.subject, of.shapes.empty() ? "" : of.shapes.front(), numbers.value());
  if (!facts.ok()) return fail(invocation, facts.error());
  if (invocation.json) {
    nlohmann::json document = {{"schema", "fuselab.import/1"},
                               {"subject", of.subject},
                               {"nodes", graph.nodes().size()},
                               {"inputs", graph.inputs().size()},
                               {"outputs", graph.outputs().size()},
                               {"operators", counts},
                               {"covered_share", fusion.value().covered_share},
                               {"open_extents", open_extents_json(facts.value().open)},
                               {"weights", weights_json(facts.value().weights)},
                               {"barriers", barriers_json(facts.value().barriers)},
                               {"imported", import_counts_json(fusion.value().imported)},
                               {"notes", fusion.value().notes},
                               {"graph", named_text(graph)}};
    add_runnable(fusion.value(), document);
    return print_document(std::move(document));
  }
  std::printf("%s, %s, %s; %s\n", counted(std::ssize(graph.nodes()), "node").c_str(),
              counted(std::ssize(graph.inputs()), "input or weight", "inputs and weights").c_str(),
              counted(std::ssize(graph.outputs()), "output").c_str(), shares_text(fusion.value()).c_str());
  for (const auto& [name, count] : counts) std::printf("  %4d  %s\n", count, plain_line(name).c_str());
  print_not_runnable(fusion.value());
  print_weights(facts.value().weights);
  std::fputs(import_counts_text(fusion.value().imported).c_str(), stdout);
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
  add_level_option(command, of->level);
  add_device_options(command, of->devices,
                     "Say what can be run on this device; repeat for several (default: those of this machine)");
  show_examples(command, {"fuselab import resnet50", "fuselab import model.onnx --shape batch=8"});
  command.callback([&invocation, of] { invocation.action = [&invocation, of] { return import_subject(invocation, *of); }; });
}

}  // namespace fuselab::cli
