// SPDX-License-Identifier: Apache-2.0
#include "app/engine/offers/offered_limits.h"

#include <map>
#include <memory>

#include "app/engine/kernels/requests.h"
#include "app/engine/subject/piece.h"
#include "core/graph/graph_text.h"

namespace fuselab::engine {
namespace {

std::optional<Support> asked_on_each(WorkerPool& workers, const std::vector<DeviceInfo>& devices, const std::string& level,
                                     const Graph& graph, const std::stop_token& stop) {
  std::optional<Support> refused;
  for (const DeviceInfo& device : devices) {
    auto answer = writes_on(workers, device, level, graph, stop);
    if (!answer || answer->yes) return answer;
    if (!refused) refused = std::move(answer);
  }
  return refused;
}

}  // namespace

std::optional<Support> writes_on(WorkerPool& workers, const DeviceInfo& device, const std::string& level, const Graph& graph,
                                 const std::stop_token& stop) {
  const auto described = workers.describe(describe_request(device, level, graph), stop);
  if (!described.ok()) return std::nullopt;
  const bool lacks_compiler = !described.value().generator.empty() && described.value().compiler.empty();
  if (lacks_compiler) return std::nullopt;
  return described.value().support;
}

std::vector<BackendLimits> offered_limits(WorkerPool& workers, const std::vector<BackendReport>& backends,
                                          const std::vector<DeviceInfo>& devices, const std::string& level,
                                          const std::stop_token& stop) {
  std::vector<BackendLimits> limits = limits_of(backends, devices);
  for (BackendLimits& each : limits) {
    std::vector<DeviceInfo> of_backend;
    for (const DeviceInfo& device : devices) {
      if (device.backend == each.backend) of_backend.push_back(device);
    }
    const auto known = std::make_shared<std::map<ContentHash, std::optional<Support>>>();
    each.writes = [&workers, of_backend = std::move(of_backend), level, stop, known](const Graph& graph) {
      const auto [answer, is_new] = known->try_emplace(graph_key(graph));
      if (is_new) answer->second = asked_on_each(workers, of_backend, level, graph, stop);
      return answer->second;
    };
  }
  return limits;
}

}  // namespace fuselab::engine
