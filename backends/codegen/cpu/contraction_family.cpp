// SPDX-License-Identifier: Apache-2.0
#include "backends/codegen/cpu/contraction_family.h"

#include <algorithm>
#include <limits>

#include "backends/codegen/cpu/lower_contraction.h"
#include "backends/codegen/forms/contraction_tasks.h"
#include "backends/codegen/ir/axes.h"
#include "backends/codegen/ir/ceil_div.h"

namespace fuselab::codegen {
namespace {

using Values = std::vector<std::int64_t>;

Result<ContractionKernel> kernel_of(const Graph& graph) {
  auto whole = make_whole_contraction(graph);
  return whole.ok() ? std::move(whole) : make_contraction(graph);
}

Support supports(const Graph& graph, const Target&) {
  const Result<ContractionKernel> kernel = kernel_of(graph);
  if (!kernel.ok()) return Support::no(kernel.error().message);
  const bool gathers = kernel.value().contraction.layout == RightLayout::kWindows;
  return gathers ? Support::no("windows that move over an image") : Support{};
}

// Returns those of `wanted` that are at most `most`, and the first in any case.
Values up_to(const Values& wanted, std::int64_t most) {
  Values values;
  for (std::int64_t value : wanted) {
    if (value <= most || values.empty()) values.push_back(value);
  }
  return values;
}

// All rows at once read, copy or compute each element of the right operand once.
Values rows_of_task(const ContractionKernel& kernel) {
  constexpr std::int64_t kMost = 512;
  const std::int64_t m = kernel.contraction.m;
  Values values = up_to({8, 64, kMost}, m);
  if (m < kMost && m > values.back()) values.push_back(m);
  return values;
}

// Few rows fit one tile, so that it reads the right operand once.
Values tile_rows(std::int64_t m) {
  if (m < 8) return m == 1 ? Values{1} : Values{1, m};
  return up_to({1, 4, 6, 8, 12}, m);
}

// Rows this far apart share one set of the first cache, whose ways bound the rows that a tile can read side by side.
constexpr std::int64_t kSetStride = 4096;
constexpr std::int64_t kWays = 8;

bool rows_share_a_set(const Contraction& c) {
  const std::int64_t row = c.left_step == 1 ? c.left_row : 1;
  return row * bits_of(c.compute) / 8 % kSetStride == 0;
}

ParameterSpace space(const Graph& graph, const Target& target) {
  const Result<ContractionKernel> made = kernel_of(graph);
  FL_ASSERT(made.ok());
  const Contraction& c = made.value().contraction;
  const bool computes_left = made.value().computes(Side::kLeft);
  ParameterSpace space;
  const Values widths = vector_widths(target, c.compute);
  add_axis(space, "vector", "elements per register", c.n < widths.back() && !c.prefers_dots() ? Values{widths.front()} : widths);
  const bool dots = c.prefers_dots();
  const std::int64_t columns = c.n / widths.front();
  add_axis(space, "tile_m", "rows that share a load of the right operand", dots ? Values{1} : tile_rows(c.m));
  add_axis(space, "tile_n", "registers along a row",
           dots ? Values{1} : up_to(c.m == 1 ? Values{1, 2, 4, 8} : Values{1, 2, 3, 4}, columns));
  add_axis(space, "rows_per_task", "rows that one task handles", rows_of_task(made.value()));
  Values packs = {0, 1};
  if (must_pack(made.value())) packs = {1};
  if (!may_pack(c) && !must_pack(made.value())) packs = {0};
  if (may_pack_ahead(graph, made.value())) packs.push_back(2);
  add_axis(space, "pack", "1: a task copies its columns of the right operand into scratch, 2: they were laid out ahead", packs);
  add_axis(space, "loop_order", "0: tasks go down rows first, 1: along columns first",
           c.m > 8 && c.n > 64 ? Values{0, 1} : Values{0});
  if (computes_left) {
    add_axis(space, "column_parts", "tasks that share their rows of the operand that each computes for itself",
             up_to({1, 2, 4, 8, 16}, c.n / widths.back()));
  }
  add_axis(space, "threads", "threads that share the tasks",
           thread_counts(target, c.batches() * c.m * std::max<std::int64_t>(1, c.n / 64)));
  const std::int64_t registers = limit_of(target, "vector_bytes", 16) == 64 ? 32 : 16;
  add_rule(space, "tile_m * tile_n + tile_n < " + std::to_string(registers), "sums and operands must fit the registers");
  if (!dots && rows_share_a_set(c)) {
    add_rule(space, "tile_m <= " + std::to_string(kWays), "its rows lie in one set of the first cache");
  }
  if (c.m >= 8 && !dots) add_rule(space, "tile_m <= rows_per_task", "a tile has no more rows than its task");
  return space;
}

// Estimates the cycles of the busiest thread, on cores that start two multiply-adds of registers and two loads per cycle, with a
// latency of 4, and bring half a register per cycle from the second cache.
double busiest(const Contraction& c, const LaunchConfig& config) {
  const auto step = [](std::int64_t m, std::int64_t n) {
    if (m == 0) return 0.0;
    return std::max({static_cast<double>(m * n) / 2, 4.0, static_cast<double>(m + n) / 2, static_cast<double>(2 * n)}) + 0.25;
  };
  const std::int64_t m = std::min(config.integer("tile_m", 1), c.m);
  const std::int64_t n = config.integer("tile_n", 1);
  const std::int64_t rows = std::min(config.integer("rows_per_task", c.m), c.m);
  const std::int64_t tasks = c.batches() * ceil_div(c.m, rows) * ceil_div(c.n, n * config.integer("vector", 1));
  const auto k = static_cast<double>(c.k);
  const double packing = config.integer("pack", 0) == 1 ? k * static_cast<double>(n) * 6 : 0.0;
  const double sums = k * (static_cast<double>(rows / m) * step(m, n) + step(rows % m, n));
  const double each = sums + packing + static_cast<double>(rows * n) * 6 + 300;
  return each * static_cast<double>(ceil_div(tasks, config.integer("threads", 1)));
}

// Tries the tiles and rows of the space; dots have none to try.
void settle_tiles(const Contraction& c, const ParameterSpace& space, LaunchConfig& config) {
  double least = std::numeric_limits<double>::infinity();
  LaunchConfig wished = config;
  for (const std::int64_t m : values_of(space, "tile_m")) {
    for (const std::int64_t n : values_of(space, "tile_n")) {
      for (const std::int64_t rows : values_of(space, "rows_per_task")) {
        wished.set("tile_m", m);
        wished.set("tile_n", n);
        wished.set("rows_per_task", rows);
        if (!space.check(wished).ok()) continue;
        const double cycles = busiest(c, wished);
        if (cycles >= least) continue;
        least = cycles;
        config = wished;
      }
    }
  }
}

LaunchConfig default_config(const Graph& graph, const Target& target) {
  const Result<ContractionKernel> made = kernel_of(graph);
  FL_ASSERT(made.ok());
  const ParameterSpace axes = space(graph, target);
  LaunchConfig config;
  for (const Parameter& axis : axes.parameters()) {
    const bool largest = axis.name == "vector" || axis.name == "threads" || axis.name == "pack";
    config.set(axis.name, largest ? axis.values.back() : axis.values.front());
  }
  settle_tiles(made.value().contraction, axes, config);
  if (made.value().prologue) settle_tasks(made.value(), axes, config);
  return config;
}

Result<Function> lower(const Graph& graph, const LaunchConfig& config, const Target&) {
  FL_TRY(ContractionKernel kernel, kernel_of(graph));
  return lower_contraction(graph, kernel, config);
}

}  // namespace

Family contraction_family() {
  return {"contraction", supports, space, default_config, lower};
}

}  // namespace fuselab::codegen
