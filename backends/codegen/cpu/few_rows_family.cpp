// SPDX-License-Identifier: Apache-2.0
#include "backends/codegen/cpu/few_rows_family.h"

#include <algorithm>

#include "backends/codegen/cpu/lower_contraction.h"
#include "backends/codegen/cpu/lower_few_rows.h"
#include "backends/codegen/ir/axes.h"
#include "backends/codegen/ir/ceil_div.h"
#include "backends/codegen/rows/row_builder.h"

namespace fuselab::codegen {
namespace {

constexpr std::int64_t kMostRows = 4;

// Constant weights in the type of the sums are laid out ahead for two rows and more: panels that hold all sums in registers are
// read once, at the rate of one stream. Narrower weights are read as they lie, because they would be laid out as wide as the sums.
bool lies_ahead(const Graph& graph, const ContractionKernel& kernel) {
  const Contraction& c = kernel.contraction;
  return may_pack_ahead(graph, kernel) && graph.type(graph.inputs()[static_cast<std::size_t>(c.right)]).dtype == c.compute;
}

Result<ContractionKernel> make_few_rows(const Graph& graph) {
  FL_TRY(ContractionKernel kernel, make_contraction(graph));
  const Contraction& c = kernel.contraction;
  const bool fits = c.node->op != Op::kConv && c.layout == RightLayout::kRows && c.m <= kMostRows && !kernel.prologue &&
                    !lies_ahead(graph, kernel);
  if (!fits) return unsupported(*c.node, "no product of few rows with a matrix as it lies");
  return kernel;
}

Support supports(const Graph& graph, const Target&) {
  const Result<ContractionKernel> kernel = make_few_rows(graph);
  return kernel.ok() ? Support{} : Support::no(kernel.error().message);
}

std::int64_t registers_of(const Target& target) {
  return limit_of(target, "vector_bytes", 16) == 64 ? 32 : 16;
}

ParameterSpace space(const Graph& graph, const Target& target) {
  const Result<ContractionKernel> made = make_few_rows(graph);
  FL_ASSERT(made.ok());
  const Contraction& c = made.value().contraction;
  ParameterSpace space;
  const std::vector<std::int64_t> widths = vector_widths(target, c.compute);
  add_axis(space, "vector", "elements per register", c.n < widths.back() ? std::vector<std::int64_t>{widths.front()} : widths);
  std::vector<std::int64_t> steps = {1};
  for (const std::int64_t step : {2, 4, 8, 16}) {
    if (step <= c.k && c.m * (step + 1) < registers_of(target)) steps.push_back(step);
  }
  add_axis(space, "depth_step", "rows of the right operand that are read at once", steps);
  std::vector<std::int64_t> parts = {1};
  for (const std::int64_t part : {2, 4, 8, 16, 32, 64, 128}) {
    if (part * widths.front() <= c.n) parts.push_back(part);
  }
  add_axis(space, "column_parts", "tasks that share the columns", parts);
  add_axis(space, "threads", "threads that share the tasks", thread_counts(target, c.batches() * parts.back()));
  return space;
}

// Returns parts that give every thread as many columns, in runs whose sums of one row fill half of the first cache at most. With
// four rows they outgrow it, which costs less than shorter runs of the matrix do.
std::int64_t parts_of(const Contraction& c, const std::vector<std::int64_t>& values, std::int64_t threads, const Target& target) {
  const std::int64_t most = limit_of(target, "l1_bytes", std::int64_t{32} << 10) / 2 / (bits_of(c.compute) / 8);
  for (const std::int64_t parts : values) {
    if (c.batches() * parts >= threads && ceil_div(c.n, parts) <= most) return parts;
  }
  return values.back();
}

LaunchConfig default_config(const Graph& graph, const Target& target) {
  const Result<ContractionKernel> made = make_few_rows(graph);
  FL_ASSERT(made.ok());
  const Contraction& c = made.value().contraction;
  const ParameterSpace axes = space(graph, target);
  constexpr std::int64_t kStreams = 8;
  LaunchConfig config;
  const std::int64_t threads = values_of(axes, "threads").back();
  config.set("vector", values_of(axes, "vector").back());
  config.set("threads", threads);
  for (const std::int64_t step : values_of(axes, "depth_step")) {
    if (step <= kStreams) config.set("depth_step", step);
  }
  config.set("column_parts", parts_of(c, values_of(axes, "column_parts"), threads, target));
  return config;
}

Result<Function> lower(const Graph& graph, const LaunchConfig& config, const Target&) {
  FL_TRY(ContractionKernel kernel, make_few_rows(graph));
  return lower_few_rows(graph, kernel, config);
}

}  // namespace

Family few_rows_family() {
  return {"few_rows", supports, space, default_config, lower};
}

}  // namespace fuselab::codegen
