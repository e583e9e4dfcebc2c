// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdlib>
#include <optional>

#include "tests/faults/workers/worker_fixture.h"

namespace fuselab::engine {

// A pool of real workers for one backend, whose libraries are fakes.
class GpuWorkers : public testing::Test {
 protected:
  explicit GpuWorkers(std::string backend) : backend_(std::move(backend)) {}

  void open_pool(std::optional<std::chrono::milliseconds> probe_timeout) {
    WorkerPoolOptions options;
    options.worker_program = worker_program();
    options.cache_directory = folder_.path() / "cache";
    options.lock_directory = folder_.path() / "locks";
    options.compile_workers = 1;
    if (probe_timeout) options.probe_timeout = *probe_timeout;
    pool_ = std::make_unique<WorkerPool>(options);
  }

  Result<Plan> plan_of(const DeviceInfo& device, const std::string& text) {
    FL_TRY(const Graph graph, parse_graph(text));
    FL_TRY(const wire::DescribeReply described,
           pool_->describe({backend_, device.target, canonical_text(graph), OptimizationLevel::kO2}, {}));
    FL_TRY(CompiledKernel kernel,
           pool_->compile({backend_, device.target, canonical_text(graph), described.default_config, OptimizationLevel::kO2}, {}));
    std::vector<NodeId> nodes;
    for (std::size_t i = 0; i < graph.nodes().size(); ++i) nodes.push_back(NodeId{static_cast<std::uint32_t>(i)});
    return make_plan(text, graph, {nodes}, {std::move(kernel)});
  }

  std::string backend_;
  ScratchFolder folder_;
  std::unique_ptr<WorkerPool> pool_;
};

}  // namespace fuselab::engine
