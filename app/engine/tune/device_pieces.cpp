// SPDX-License-Identifier: Apache-2.0
#include "app/engine/tune/device_pieces.h"

#include "app/engine/tune/kernel_evaluator.h"
#include "app/engine/tune/plan_pair.h"
#include "app/engine/tune/search_budget.h"

namespace fuselab::engine {

DevicePiece DevicePieces::of(const Piece& piece) {
  DevicePiece here{piece, {}};
  for (const Graph* graph : graphs_of(piece)) here.graphs.push_back(&builder_.of(*graph));
  return here;
}

EvidenceKey DevicePieces::key_of(const std::string& graph_key) const {
  return {graph_key, device_.id, context_.metric_key, environment_key_};
}

AskedEvidence DevicePieces::asked(const Piece& piece, const std::string& metric_key) const {
  return {piece, device_, metric_key.empty() ? context_.metric_key : metric_key, environment_key_};
}

Result<std::optional<TuningRecord>> DevicePieces::ended_search(const DeviceGraph& graph) const {
  if (!graph.described.ok()) return graph.described.error();
  return context_.queries.tuning(key_of(graph.key), graph.generation);
}

Result<bool> DevicePieces::is_searched(const DeviceGraph& graph) const {
  FL_TRY(const bool supported, graph.is_supported());
  if (!supported) return true;
  FL_TRY(const auto search, ended_search(graph));
  return search && was_searched(*search);
}

Result<bool> DevicePieces::is_tuned(const DevicePiece& piece) const {
  for (const DeviceGraph* graph : piece.graphs) {
    FL_TRY(const bool searched, is_searched(*graph));
    if (!searched) return false;
  }
  return true;
}

Result<LaunchConfig> DevicePieces::best_config(DeviceGraph& graph) const {
  if (graph.best) return *graph.best;
  FL_TRY(LaunchConfig config, graph.default_config());
  FL_TRY(const auto search, ended_search(graph));
  if (search && !search->best_config.empty()) {
    FL_TRY(config, LaunchConfig::parse(search->best_config));
  }
  graph.best = config;
  return config;
}

Result<PieceConfigs> DevicePieces::even_configs(const DevicePiece& piece) const {
  FL_TRY(const bool tuned, is_tuned(piece));
  PieceConfigs configs;
  for (DeviceGraph* graph : piece.graphs) configs.push_back(tuned ? best_config(*graph) : graph->default_config());
  return configs;
}

Result<std::vector<Candidate>> DevicePieces::pair_of(const DevicePiece& here, PieceConfigs configs) {
  // Supported graphs are compiled together, so that the pool is used; the others carry their own error.
  std::vector<KernelOrder> orders;
  std::vector<Result<CompiledKernel>> kernels;
  std::vector<std::size_t> places;
  LaunchConfig fused_config;
  for (std::size_t index = 0; index < here.graphs.size(); ++index) {
    Result<LaunchConfig>& config = configs[index];
    kernels.emplace_back(config.ok() ? Error{ErrorCode::kInternal, "not made"} : config.error());
    if (!config.ok()) continue;
    if (index == 0) fused_config = config.value();
    orders.push_back({here.graphs[index], std::move(config).value()});
    places.push_back(index);
  }
  std::vector<Result<CompiledKernel>> made = builder_.make(orders);
  for (std::size_t index = 0; index < places.size(); ++index) kernels[places[index]] = std::move(made[index]);

  const Piece& piece = here.piece;
  std::vector<Candidate> pair;
  pair.push_back(
      single_kernel_candidate(piece.operation.graph, piece.key, piece.operation.name, fused_config, std::move(kernels.front())));
  kernels.erase(kernels.begin());
  if (!piece.is_single()) pair.push_back(unfused_candidate(piece, std::move(kernels)));
  for (Candidate& candidate : pair) candidate.generation = here.graphs.front()->generation;
  return pair;
}

}  // namespace fuselab::engine
