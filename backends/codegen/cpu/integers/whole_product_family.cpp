// SPDX-License-Identifier: Apache-2.0
#include "backends/codegen/cpu/integers/whole_product_family.h"

#include <algorithm>

#include "backends/codegen/cpu/integers/lower_whole_product.h"
#include "backends/codegen/ir/axes.h"
#include "backends/codegen/ir/ceil_div.h"

namespace fuselab::codegen {
namespace {

using Values = std::vector<std::int64_t>;

// Fewer rows or terms do not pay for laying out.
constexpr std::int64_t kFewest = 8;
// The digits of a task's rows are to stay in the second cache.
constexpr std::int64_t kMostRowBytes = 1 << 20;

Support supports(const Graph& graph, const Target& target) {
  if (target.arch != "x86-64") return Support::no("products by digits are generated for x86-64");
  const Result<ContractionKernel> kernel = make_whole_contraction(graph);
  if (!kernel.ok()) return Support::no(kernel.error().message);
  const Contraction& c = kernel.value().contraction;
  return c.left_step == 1 && c.m >= kFewest && c.k >= kFewest ? Support{} : Support::no("few rows or terms");
}

Values up_to(const Values& wanted, std::int64_t most) {
  Values values;
  for (const std::int64_t value : wanted) {
    if (value <= most || values.empty()) values.push_back(value);
  }
  return values;
}

ParameterSpace space(const Graph& graph, const Target& target) {
  const Result<ContractionKernel> made = make_whole_contraction(graph);
  FL_ASSERT(made.ok());
  const Contraction& c = made.value().contraction;
  ParameterSpace space;
  const std::int64_t width = vector_widths(target, DType::kF32).back();
  add_axis(space, "vector", "elements per register", {width});
  add_axis(space, "tile_m", "rows that share a load of the right operand", up_to({1, 2, 4, 6, 8, 12}, c.m));
  add_axis(space, "tile_n", "registers along a row", up_to({1, 2, 3, 4}, ceil_div(c.n, width)));
  add_axis(space, "rows_per_task", "rows that one task handles",
           up_to({8, 64, 256}, std::min(c.m, std::max(kFewest, kMostRowBytes / (4 * c.k)))));
  add_axis(space, "strips", "strips of columns for which a task lays its rows out once",
           up_to({1, 2, 4, 8}, ceil_div(c.n, 4 * width)));
  Parameter dot{"dot", "vnni: products of two pairs added in one instruction, pairs: in two", {}};
  dot.values.emplace_back(std::string("pairs"));
  if (limit_of(target, "dot_bytes", 0) != 0) dot.values.emplace_back(std::string("vnni"));
  const Status added = space.add(std::move(dot));
  FL_ASSERT(added.ok());
  add_axis(space, "threads", "threads that share the tasks",
           thread_counts(target, c.batches() * c.m * std::max<std::int64_t>(1, c.n / 64)));
  const std::int64_t registers = limit_of(target, "vector_bytes", 16) == 64 ? 32 : 16;
  add_rule(space, "tile_m * tile_n + tile_n < " + std::to_string(registers), "sums and operands must fit the registers");
  return space;
}

LaunchConfig default_config(const Graph& graph, const Target& target) {
  const ParameterSpace axes = space(graph, target);
  LaunchConfig config;
  for (const Parameter& axis : axes.parameters()) config.set(axis.name, axis.values.back());
  // The largest tile that fits: more sums hide the latency of each.
  std::int64_t most = 0;
  for (const std::int64_t m : values_of(axes, "tile_m")) {
    for (const std::int64_t n : values_of(axes, "tile_n")) {
      LaunchConfig wished = config;
      wished.set("tile_m", m);
      wished.set("tile_n", n);
      if (m * n <= most || !axes.check(wished).ok()) continue;
      most = m * n;
      config = wished;
    }
  }
  return config;
}

Result<Function> lower(const Graph& graph, const LaunchConfig& config, const Target&) {
  FL_TRY(const ContractionKernel kernel, make_whole_contraction(graph));
  return lower_whole_product(graph, kernel, config);
}

}  // namespace

Family whole_product_family() {
  return {"whole product", supports, space, default_config, lower};
}

}  // namespace fuselab::codegen
