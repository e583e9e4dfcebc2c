// SPDX-License-Identifier: Apache-2.0
#include "backends/codegen/cpu/pool_family.h"

#include "backends/codegen/cpu/convolution/lower_pool.h"
#include "backends/codegen/ir/axes.h"

namespace fuselab::codegen {
namespace {

Support supports(const Graph& graph, const Target&) {
  const Result<PoolKernel> kernel = make_pool(graph);
  return kernel.ok() ? Support{} : Support::no(kernel.error().message);
}

ParameterSpace space(const Graph& graph, const Target& target) {
  const Result<PoolKernel> made = make_pool(graph);
  FL_ASSERT(made.ok());
  const PoolKernel& kernel = made.value();
  const std::int64_t rows = kernel.planes * kernel.windows.out_height;
  ParameterSpace space;
  add_axis(space, "vector", "elements per register", vector_widths(target, kernel.epilogue.compute));
  std::vector<std::int64_t> blocks = {1};
  for (std::int64_t block : {4, 16, 64, 256}) {
    if (block <= rows) blocks.push_back(block);
  }
  add_axis(space, "rows_per_task", "result rows that one task handles", blocks);
  add_axis(space, "threads", "threads that share the tasks", thread_counts(target, rows));
  const Status added =
      space.add(Constraint{"rows_per_task * (threads - 1) < " + std::to_string(rows), "more threads than row blocks would idle"});
  FL_ASSERT(added.ok());
  return space;
}

LaunchConfig default_config(const Graph& graph, const Target& target) {
  const ParameterSpace axes = space(graph, target);
  LaunchConfig config;
  for (const auto& axis : axes.parameters()) {
    config.set(axis.name, axis.name == "rows_per_task" ? axis.values.front() : axis.values.back());
  }
  return config;
}

Result<Function> lower(const Graph& graph, const LaunchConfig& config, const Target&) {
  FL_TRY(PoolKernel kernel, make_pool(graph));
  return lower_pool(graph, kernel, config);
}

}  // namespace

Family pool_family() {
  return {"pool", supports, space, default_config, lower};
}

}  // namespace fuselab::codegen
