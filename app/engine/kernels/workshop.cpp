// SPDX-License-Identifier: Apache-2.0
#include "app/engine/kernels/workshop.h"

#include <algorithm>
#include <atomic>
#include <thread>

#include "core/graph/graph_text.h"

namespace fuselab::engine {

Result<wire::DescribeReply> Workshop::describe(const Graph& graph, const Target& target, std::stop_token stop) {
  return pool_.describe({backend(), target, canonical_text(graph), level_}, std::move(stop));
}

Result<CompiledKernel> Workshop::write(const Graph& graph, const LaunchConfig& config, std::stop_token stop) {
  auto written = pool_.generate({backend(), target(), canonical_text(graph), {config}, level_}, std::move(stop));
  return std::move(written.front());
}

Result<CompiledKernel> Workshop::compile(const Graph& graph, const LaunchConfig& config, std::stop_token stop) {
  return pool_.compile({backend(), target(), canonical_text(graph), config, level_}, std::move(stop));
}

WorkerPoolOptions compile_pool_options(const Config& config) {
  WorkerPoolOptions options;
  options.trace = config.trace;
  options.worker_program = config.worker_program;
  options.cache_directory = config.cache_directory;
  return options;
}

void for_each_at_once(std::size_t count, const std::function<void(std::size_t)>& work, const std::stop_token& stop) {
  static const std::size_t kThreads = std::max(1U, std::thread::hardware_concurrency());
  std::atomic<std::size_t> next = 0;
  const auto serve = [&] {
    for (std::size_t index = next++; index < count && !stop.stop_requested(); index = next++) work(index);
  };
  std::vector<std::jthread> threads;
  for (std::size_t index = 1; index < std::min(count, kThreads); ++index) threads.emplace_back(serve);
  serve();
}

}  // namespace fuselab::engine
