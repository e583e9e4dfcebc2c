// SPDX-License-Identifier: Apache-2.0
#include "backends/codegen/cpu/integers/integer_product_family.h"

#include <algorithm>

#include "backends/codegen/cpu/integers/lower_integer_product.h"
#include "backends/codegen/ir/axes.h"
#include "backends/codegen/ir/ceil_div.h"

namespace fuselab::codegen {
namespace {

using Values = std::vector<std::int64_t>;

Support supports(const Graph& graph, const Target& target) {
  if (target.arch != "x86-64") return Support::no("products of 8-bit numbers are generated for x86-64");
  const Result<ByteProductKernel> kernel = make_byte_product(graph);
  return kernel.ok() ? Support{} : Support::no(kernel.error().message);
}

Values up_to(const Values& wanted, std::int64_t most) {
  Values values;
  for (const std::int64_t value : wanted) {
    if (value <= most || values.empty()) values.push_back(value);
  }
  return values;
}

// AVX512-VNNI, where a target is known to have it, has registers of 512 bits alone here.
bool has_dots(const Target& target) {
  return limit_of(target, "dot_bytes", 0) != 0;
}

ParameterSpace space(const Graph& graph, const Target& target) {
  const Result<ByteProductKernel> made = make_byte_product(graph);
  FL_ASSERT(made.ok());
  const IntegerProduct& product = made.value().product;
  ParameterSpace space;
  add_axis(space, "vector", "elements per register", {vector_widths(target, DType::kF32).back()});
  const std::int64_t width = vector_widths(target, DType::kF32).back();
  add_axis(space, "tile_m", "rows that share a load of the right operand", up_to({1, 2, 4, 6, 8, 12}, product.rows));
  add_axis(space, "tile_n", "registers along a row", up_to({1, 2, 3, 4}, ceil_div(product.columns, width)));
  Values rows = up_to({8, 64, 512}, product.rows);
  if (product.rows < 512 && product.rows > rows.back()) rows.push_back(product.rows);
  add_axis(space, "rows_per_task", "rows that one task handles", rows);
  add_axis(space, "pack", "1: a task lays its columns of the right operand out, 2: they were laid out ahead",
           may_lay_out_ahead(graph, made.value()) ? Values{1, 2} : Values{1});
  Parameter dot{"dot", "vnni: four products of bytes in one instruction, pairs: two by two as 16-bit numbers", {}};
  dot.values.emplace_back(std::string("pairs"));
  if (has_dots(target)) dot.values.emplace_back(std::string("vnni"));
  const Status added = space.add(std::move(dot));
  FL_ASSERT(added.ok());
  add_axis(space, "threads", "threads that share the tasks",
           thread_counts(target, product.rows * std::max<std::int64_t>(1, product.columns / 64)));
  const std::int64_t registers = limit_of(target, "vector_bytes", 16) == 64 ? 32 : 16;
  const Status ruled =
      space.add(Constraint{"tile_m * tile_n + tile_n < " + std::to_string(registers), "sums and operands must fit the registers"});
  FL_ASSERT(ruled.ok());
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
  FL_TRY(const ByteProductKernel kernel, make_byte_product(graph));
  return lower_integer_product(graph, kernel, config);
}

}  // namespace

Family integer_product_family() {
  return {"integer product", supports, space, default_config, lower};
}

}  // namespace fuselab::codegen
