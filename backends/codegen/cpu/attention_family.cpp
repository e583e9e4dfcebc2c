// SPDX-License-Identifier: Apache-2.0
#include "backends/codegen/cpu/attention_family.h"

#include "backends/codegen/cpu/lower_attention.h"
#include "backends/codegen/ir/axes.h"

namespace fuselab::codegen {
namespace {

Support supports(const Graph& graph, const Target&) {
  const Result<Attention> attention = make_attention(graph);
  return attention.ok() ? Support{} : Support::no(attention.error().message);
}

ParameterSpace space(const Graph& graph, const Target& target) {
  const Result<Attention> made = make_attention(graph);
  FL_ASSERT(made.ok());
  const Attention& a = made.value();
  ParameterSpace space;
  add_axis(space, "vector", "elements per register", vector_widths(target, a.compute));
  add_axis(space, "tile_n", "registers of the result at once", {1, 2, 4, 8});
  std::vector<std::int64_t> blocks = {1};
  for (std::int64_t block : {4, 16, 64}) {
    if (block <= a.queries) blocks.push_back(block);
  }
  add_axis(space, "rows_per_task", "queries that one task handles", blocks);
  add_axis(space, "threads", "threads that share the tasks", thread_counts(target, a.batches() * a.queries));
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
  FL_TRY(Attention attention, make_attention(graph));
  return lower_attention(graph, attention, config);
}

}  // namespace

Family attention_family() {
  return {"attention", supports, space, default_config, lower};
}

}  // namespace fuselab::codegen
