// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <stop_token>
#include <vector>

#include "app/engine/subject/job_spec.h"
#include "app/engine/workers/worker_pool.h"
#include "core/kernel/virtual_target.h"

namespace fuselab::engine {

// Writes and compiles kernels for one target without a device of it, in compile workers. Thread-safe; all calls block.
class Workshop {
 public:
  Workshop(WorkerPool& pool, VirtualTarget target, OptimizationLevel level)
      : pool_(pool), target_(std::move(target)), level_(level) {}

  const Target& target() const { return target_.target; }
  const std::string& backend() const { return target_.backend; }

  Result<wire::DescribeReply> describe(const Graph& graph, std::stop_token stop = {}) { return describe(graph, target(), stop); }
  // Describes it for this target with other limits.
  Result<wire::DescribeReply> describe(const Graph& graph, const Target& target, std::stop_token stop = {});
  // Returns the source alone; needs no compiler.
  Result<CompiledKernel> write(const Graph& graph, const LaunchConfig& config, std::stop_token stop = {});
  Result<CompiledKernel> compile(const Graph& graph, const LaunchConfig& config, std::stop_token stop = {});

 private:
  WorkerPool& pool_;
  VirtualTarget target_;
  OptimizationLevel level_;
};

// Returns the options of a pool that compiles only.
WorkerPoolOptions compile_pool_options(const Config& config);

// Calls work(0) … work(count - 1) from as many threads as there are processors, and returns when all have returned. Begins none
// after the stop.
void for_each_at_once(std::size_t count, const std::function<void(std::size_t)>& work, const std::stop_token& stop = {});

}  // namespace fuselab::engine
