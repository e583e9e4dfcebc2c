// SPDX-License-Identifier: Apache-2.0
#include "backends/codegen/cpu/recurrence/recurrence_family.h"

#include "backends/codegen/cpu/recurrence/lower_recurrence.h"
#include "backends/codegen/cpu/recurrence/recurrence_kernel.h"
#include "backends/codegen/ir/axes.h"
#include "backends/codegen/ir/ceil_div.h"
#include "core/base/assert.h"

namespace fuselab::codegen {
namespace {

Support supports(const Graph& graph, const Target&) {
  const Result<RecurrenceKernel> kernel = make_recurrence(graph);
  return kernel.ok() ? Support{} : Support::no(kernel.error().message);
}

ParameterSpace space(const Graph& graph, const Target& target) {
  const Result<RecurrenceKernel> made = make_recurrence(graph);
  FL_ASSERT(made.ok());
  const RecurrenceKernel& kernel = made.value();
  ParameterSpace space;
  const std::vector<std::int64_t> widths = vector_widths(target, kernel.compute);
  const bool is_narrow = kernel.extents.hidden < widths.back() && kernel.extents.width < widths.back();
  add_axis(space, "vector", "elements per register", is_narrow ? std::vector<std::int64_t>{widths.front()} : widths);
  std::vector<std::int64_t> sequences = {1};
  for (const std::int64_t count : {2, 4, 8, 16}) {
    if (count < 2 * kernel.extents.batch) sequences.push_back(count);
  }
  add_axis(space, "sequences", "sequences of a task, which share what is read of the weights", sequences);
  std::vector<std::int64_t> steps = {1};
  for (const std::int64_t count : {4, 16}) {
    if (count < 2 * kernel.extents.steps) steps.push_back(count);
  }
  add_axis(space, "steps", "steps whose products with W are made at once", steps);
  std::vector<std::int64_t> packs = {0};
  if (may_lay_out_ahead(graph, kernel, widths.back())) packs.push_back(1);
  add_axis(space, "pack", "1: the weights were laid out ahead, for products of several sequences at once", packs);
  add_axis(space, "threads", "threads that share the tasks", thread_counts(target, kernel.directions() * kernel.extents.batch));
  return space;
}

LaunchConfig default_config(const Graph& graph, const Target& target) {
  const Result<RecurrenceKernel> made = make_recurrence(graph);
  FL_ASSERT(made.ok());
  const RecurrenceKernel& kernel = made.value();
  const ParameterSpace axes = space(graph, target);
  LaunchConfig config;
  const std::int64_t threads = values_of(axes, "threads").back();
  config.set("vector", values_of(axes, "vector").back());
  config.set("threads", threads);
  config.set("steps", values_of(axes, "steps").back());
  config.set("pack", values_of(axes, "pack").back());
  for (const std::int64_t count : values_of(axes, "sequences")) {
    const bool feeds_all = kernel.directions() * ceil_div(kernel.extents.batch, count) >= threads;
    if (count == 1 || feeds_all) config.set("sequences", count);
  }
  return config;
}

Result<Function> lower(const Graph& graph, const LaunchConfig& config, const Target&) {
  FL_TRY(const RecurrenceKernel kernel, make_recurrence(graph));
  return lower_recurrence(graph, kernel, config);
}

}  // namespace

bool recurrences_cover(Op op) {
  return is_recurrence(op);
}

Family recurrence_family() {
  return {"recurrence", supports, space, default_config, lower};
}

}  // namespace fuselab::codegen
