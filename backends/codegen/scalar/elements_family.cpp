// SPDX-License-Identifier: Apache-2.0
#include "backends/codegen/scalar/elements_family.h"

#include <algorithm>
#include <optional>
#include <set>

#include "backends/codegen/ir/axes.h"
#include "backends/codegen/ir/ceil_div.h"
#include "backends/codegen/rows/row_address.h"
#include "backends/codegen/scalar/elements_kernel.h"
#include "backends/codegen/scalar/elements_scatter.h"
#include "backends/codegen/scalar/elements_top.h"

namespace fuselab::codegen {
namespace {

constexpr std::int64_t kSmallestGrain = 256;

using Extents = std::vector<std::int64_t>;

// Holds a task's bounds in a kernel whose tasks are so many of `count` units each.
struct TaskBounds {
  ExprPtr first, last;
};
TaskBounds task_bounds(Elements& elements, Body& body, const ExprPtr& task, std::int64_t each, std::int64_t count) {
  const ExprPtr first = elements.keep(body, "first", task * integer(each));
  return {first, elements.keep(body, "last", call("whole_min", kIndex, {first + integer(each), integer(count)}))};
}

// Each result is cut into tasks of `grain` elements; the tasks of one result follow those of the other.
Result<Function> lower_elements(const Graph& graph, std::int64_t grain) {
  Names names;
  Function function;
  function.parameters = name_parameters(graph, names);
  function.tasks = 0;
  Elements elements(graph, function.parameters, names);
  const ExprPtr task = variable(function.task_variable, kIndex);
  for (std::size_t i = 0; i < graph.outputs().size(); ++i) {
    const Extents extents = extents_of(graph.type(graph.outputs()[i]).shape);
    const std::int64_t count = element_count(graph.type(graph.outputs()[i]).shape).value();
    const ExprPtr part = task - integer(function.tasks);
    const std::int64_t before = function.tasks;
    function.tasks += ceil_div(count, grain);
    const ExprPtr mine = binary("&&", binary(">=", task, integer(before)), binary("<", task, integer(function.tasks)));
    elements.when(function.body, mine, [&](Body& body) {
      const TaskBounds bounds = task_bounds(elements, body, part, grain, count);
      elements.loop(body, "at", bounds.first, bounds.last,
                    [&](Body& each, const ExprPtr& at) { write_element(elements, function, i, place_of(at, extents), each); });
    });
  }
  FL_TRY_VOID(elements_written(elements, most_elements(graph)));
  return function;
}

// The operator whose row's work all results' elements can share: nothing behind it leaves its place.
struct SharedRow {
  const Node* node;
  std::size_t axis;
  Extents extents;
};
std::optional<SharedRow> shared_row(const Graph& graph) {
  std::optional<SharedRow> row;
  std::set<ValueId> behind;
  for (const Node& node : graph.nodes()) {
    if (const auto axis = node.inputs.empty() ? std::nullopt : shared_axis(graph, node)) {
      row = SharedRow{&node, *axis, extents_of(graph.type(node.outputs.front()).shape)};
    } else {
      const bool reads = std::any_of(node.inputs.begin(), node.inputs.end(), [&](ValueId id) { return behind.count(id) > 0; });
      if (!reads) continue;
      if (!is_elementwise(node.op) || extents_of(graph.type(node.outputs.front()).shape) != row->extents) return std::nullopt;
    }
    behind.insert(node.outputs.begin(), node.outputs.end());
  }
  const bool alike = row && std::all_of(graph.outputs().begin(), graph.outputs().end(),
                                        [&](ValueId id) { return extents_of(graph.type(id).shape) == row->extents; });
  return alike ? row : std::nullopt;
}

// Tasks of whole rows, each gone along once: what its elements share is computed before the first of them.
Result<Function> lower_rows(const Graph& graph, const SharedRow& row, std::int64_t grain) {
  Names names;
  Function function;
  function.parameters = name_parameters(graph, names);
  Elements elements(graph, function.parameters, names);
  const std::int64_t length = row.extents[row.axis];
  const std::int64_t rows = most_elements(graph) / length, each_task = std::max<std::int64_t>(1, grain / length);
  function.tasks = ceil_div(rows, each_task);
  Extents outer = row.extents;
  outer[row.axis] = 1;
  const ExprPtr task = variable(function.task_variable, kIndex);
  const TaskBounds bounds = task_bounds(elements, function.body, task, each_task, rows);
  elements.loop(function.body, "row", bounds.first, bounds.last, [&](Body& body, const ExprPtr& index) {
    Place start{place_of(index, outer).at, nullptr};
    for (ExprPtr& at : start.at) at = elements.keep(body, "outer", at);
    elements.go_along(begin_row({elements, *row.node, 0, start, body}, row.axis));
    elements.loop(body, "step", integer(0), integer(length), [&](Body& each, const ExprPtr& step) {
      Place here = start;
      here.at[row.axis] = goes_backwards(*row.node) ? elements.keep(each, "along", integer(length - 1) - step) : step;
      here.flat = elements.keep(each, "at", flat_of(here, row.extents));
      for (std::size_t i = 0; i < graph.outputs().size(); ++i) write_element(elements, function, i, here, each);
    });
  });
  FL_TRY_VOID(elements_written(elements, rows));
  return function;
}

// Tasks of whole rows, of which a part is kept.
Result<Function> lower_top(const Graph& graph, const TopRows& top, std::int64_t grain) {
  Names names;
  Function function;
  function.parameters = name_parameters(graph, names);
  Elements elements(graph, function.parameters, names);
  const std::int64_t each_task = std::max<std::int64_t>(1, grain / top.length());
  function.tasks = ceil_div(top.rows(), each_task);
  const TaskBounds bounds = task_bounds(elements, function.body, variable(function.task_variable, kIndex), each_task, top.rows());
  elements.loop(function.body, "row", bounds.first, bounds.last,
                [&](Body& body, const ExprPtr& row) { write_top_row(elements, function, top, row, body); });
  FL_TRY_VOID(elements_written(elements, top.rows()));
  return function;
}

Result<Function> lower(const Graph& graph, const LaunchConfig& config, const Target&) {
  FL_TRY_VOID(elements_take(graph));
  const std::int64_t grain = config.integer("grain", kSmallestGrain);
  if (const Node* scatter = final_scatter(graph)) return lower_scatter(graph, *scatter, grain);
  FL_TRY(const std::optional<TopRows> top, top_rows(graph));
  if (top) return lower_top(graph, *top, grain);
  const std::optional<SharedRow> row = shared_row(graph);
  return row ? lower_rows(graph, *row, grain) : lower_elements(graph, grain);
}

Support supports(const Graph& graph, const Target& target) {
  const Result<Function> written = lower(graph, {}, target);
  return written.ok() ? Support{} : Support::no(written.error().message);
}

// Counts the elements that tasks are cut from, those of the results or of the rows that are looked through, and the length of a
// row, which is not cut.
struct Work {
  std::int64_t elements = 0, row = 1;
};
Work work_of(const Graph& graph) {
  Work work;
  const auto top = top_rows(graph);
  if (top.ok() && top.value()) return {top.value()->rows() * top.value()->length(), top.value()->length()};
  for (const ValueId output : graph.outputs()) work.elements += element_count(graph.type(output).shape).value();
  return work;
}

ParameterSpace space(const Graph& graph, const Target& target) {
  const Work work = work_of(graph);
  ParameterSpace space;
  std::vector<std::int64_t> grains = {kSmallestGrain};
  for (std::int64_t grain : {4096, 65536}) {
    if (grain < work.elements && grain >= 2 * work.row) grains.push_back(grain);
  }
  add_axis(space, "grain", "elements per task", grains);
  const std::int64_t tasks = ceil_div(work.elements, std::max(kSmallestGrain, work.row));
  add_axis(space, "threads", "threads that share the tasks", thread_counts(target, tasks));
  return space;
}

LaunchConfig default_config(const Graph& graph, const Target& target) {
  const ParameterSpace axes = space(graph, target);
  LaunchConfig config;
  for (const Parameter& axis : axes.parameters()) {
    config.set(axis.name, axis.name == "threads" ? axis.values.back() : axis.values.front());
  }
  return config;
}

}  // namespace

bool elements_cover(Op op) {
  switch (op) {
    case Op::kConstant:
    case Op::kOwnKernel:
    case Op::kOpaque:
    case Op::kLayerNormalization:
    case Op::kRMSNormalization:
    case Op::kLSTM:
    case Op::kGRU:
    case Op::kRNN:
    case Op::kAttention: return false;
    default: return true;
  }
}

Family elements_family() {
  return {"elements", supports, space, default_config, lower};
}

}  // namespace fuselab::codegen
