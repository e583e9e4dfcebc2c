// SPDX-License-Identifier: Apache-2.0
#include "app/engine/tune/plan_pair.h"

#include <utility>

#include "app/engine/kernels/plan_configs.h"
#include "app/engine/tune/kernel_evaluator.h"

namespace fuselab::engine {

std::string unfused_config(std::span<const Result<LaunchConfig>> operators) {
  PlanConfigs configs;
  for (const Result<LaunchConfig>& config : operators) {
    if (!config.ok()) return "";
    configs.each.push_back(config.value().text());
  }
  return configs.text();
}

Candidate unfused_candidate(const Piece& piece, std::vector<Result<CompiledKernel>> kernels) {
  Candidate candidate;
  candidate.piece_key = piece.key;
  candidate.piece_name = piece.operation.name;
  candidate.kind = PlanKind::kUnfused;
  PlanConfigs configs;
  std::vector<CompiledKernel> made;
  for (std::size_t index = 0; index < kernels.size(); ++index) {
    if (!kernels[index].ok()) {
      const Node& node = piece.operation.graph.node(piece.operators[index].front());
      candidate.failed = failed_result(kernels[index].error().within(name_of(node.op)));
      candidate.config = "operator " + std::to_string(index);
      return candidate;
    }
    candidate.kernel_keys.push_back(kernels[index].value().kernel_id());
    candidate.compile_time.count += kernels[index].value().metrics.compile_time.count;
    configs.each.push_back(kernels[index].value().config.text());
    made.push_back(std::move(kernels[index]).value());
  }
  candidate.config = configs.text();
  auto plan = make_plan("unfused", piece.operation.graph, piece.operators, std::move(made));
  if (plan.ok()) {
    candidate.plan = std::move(plan).value();
  } else {
    candidate.failed = failed_result(plan.error());
  }
  return candidate;
}

Status take_configs(const TrialRecord& trial, std::vector<Result<LaunchConfig>>& configs) {
  std::size_t place = trial.kind == PlanKind::kFused ? 0 : 1;
  for (const std::string& config : PlanConfigs::of(trial.config).each) {
    if (place == configs.size()) break;
    FL_TRY(configs[place], LaunchConfig::parse(config));
    ++place;
  }
  return {};
}

std::vector<const Graph*> graphs_of(const Piece& piece) {
  std::vector<const Graph*> graphs{&piece.operation.graph};
  if (piece.is_single()) return graphs;
  for (const Graph& graph : piece.operator_graphs) graphs.push_back(&graph);
  return graphs;
}

}  // namespace fuselab::engine
