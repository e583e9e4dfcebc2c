// SPDX-License-Identifier: Apache-2.0
#include "backends/codegen/cpu/contraction_family.h"

#include <algorithm>

#include "backends/codegen/cpu/lower_contraction.h"
#include "backends/codegen/forms/contraction_tasks.h"
#include "backends/codegen/ir/axes.h"

namespace fuselab::codegen {
namespace {

using Values = std::vector<std::int64_t>;

Support supports(const Graph& graph, const Target&) {
  const Result<ContractionKernel> kernel = make_contraction(graph);
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

// A kernel that computes an operand may also take all rows at once: then each element of the right one is computed once.
Values rows_of_task(const ContractionKernel& kernel) {
  constexpr std::int64_t kMost = 512;
  const std::int64_t m = kernel.contraction.m;
  Values values = up_to({8, 64, kMost}, m);
  if (kernel.prologue && m < kMost && m > values.back()) values.push_back(m);
  return values;
}

void add_rule(ParameterSpace& space, std::string expression, std::string reason) {
  const Status added = space.add(Constraint{std::move(expression), std::move(reason)});
  FL_ASSERT(added.ok());
}

ParameterSpace space(const Graph& graph, const Target& target) {
  const Result<ContractionKernel> made = make_contraction(graph);
  FL_ASSERT(made.ok());
  const Contraction& c = made.value().contraction;
  const bool computes_left = made.value().computes(Side::kLeft);
  ParameterSpace space;
  const Values widths = vector_widths(target, c.compute);
  add_axis(space, "vector", "elements per register", c.n < widths.back() && !c.prefers_dots() ? Values{widths.front()} : widths);
  const bool dots = c.prefers_dots();
  const std::int64_t columns = c.n / widths.front();
  add_axis(space, "tile_m", "rows that share a load of the right operand", dots ? Values{1} : up_to({1, 2, 4, 6}, c.m));
  add_axis(space, "tile_n", "registers along a row",
           dots ? Values{1} : up_to(c.m == 1 ? Values{1, 2, 4, 8} : Values{1, 2, 4}, columns));
  add_axis(space, "rows_per_task", "rows that one task handles", rows_of_task(made.value()));
  Values packs = {0, 1};
  if (must_pack(made.value())) packs = {1};
  if (!may_pack(c) && !must_pack(made.value())) packs = {0};
  add_axis(space, "pack", "1: a task copies its columns of the right operand into scratch", packs);
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
  if (c.m >= 8 && !dots) add_rule(space, "tile_m <= rows_per_task", "a tile has no more rows than its task");
  return space;
}

LaunchConfig default_config(const Graph& graph, const Target& target) {
  const Result<ContractionKernel> made = make_contraction(graph);
  FL_ASSERT(made.ok());
  const ParameterSpace axes = space(graph, target);
  LaunchConfig config;
  for (const Parameter& axis : axes.parameters()) {
    const bool largest = axis.name == "vector" || axis.name == "threads" || axis.name == "pack";
    config.set(axis.name, largest ? axis.values.back() : axis.values.front());
    const bool middle = axis.name == "tile_m" || axis.name == "tile_n" || axis.name == "rows_per_task";
    if (middle) config.set(axis.name, axis.values[axis.values.size() / 2]);
  }
  if (made.value().prologue) settle_tasks(made.value(), axes, config);
  return config;
}

Result<Function> lower(const Graph& graph, const LaunchConfig& config, const Target&) {
  FL_TRY(ContractionKernel kernel, make_contraction(graph));
  return lower_contraction(graph, kernel, config);
}

}  // namespace

Family contraction_family() {
  return {"contraction", supports, space, default_config, lower};
}

}  // namespace fuselab::codegen
