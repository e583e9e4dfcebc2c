// SPDX-License-Identifier: Apache-2.0
#include "backends/codegen/elements_family.h"

#include <algorithm>

#include "backends/codegen/axes.h"
#include "backends/codegen/elements_kernel.h"
#include "backends/codegen/row_address.h"

namespace fuselab::codegen {
namespace {

constexpr std::int64_t kSmallestGrain = 256;

std::int64_t ceil_div(std::int64_t a, std::int64_t b) {
  return (a + b - 1) / b;
}

// Each result is cut into tasks of `grain` elements; the tasks of one result follow those of the other.
Result<Function> lower(const Graph& graph, const LaunchConfig& config, const Target&) {
  FL_TRY_VOID(elements_take(graph));
  const std::int64_t grain = config.integer("grain", kSmallestGrain);
  Names names;
  Function function;
  function.parameters = name_parameters(graph, names);
  function.tasks = 0;
  Elements elements(graph, function.parameters, names);
  const ExprPtr task = variable(function.task_variable, kIndex);
  for (std::size_t i = 0; i < graph.outputs().size(); ++i) {
    const std::int64_t count = element_count(graph.type(graph.outputs()[i]).shape).value();
    const ExprPtr part = task - integer(function.tasks);
    const std::int64_t before = function.tasks;
    function.tasks += ceil_div(count, grain);
    const ExprPtr mine = binary("&&", binary(">=", task, integer(before)), binary("<", task, integer(function.tasks)));
    elements.when(function.body, mine, [&](Body& body) {
      const ExprPtr first = elements.keep(body, "first", part * integer(grain));
      const ExprPtr last = elements.keep(body, "last", call("whole_min", kIndex, {first + integer(grain), integer(count)}));
      elements.loop(body, "at", first, last,
                    [&](Body& each, const ExprPtr& at) { write_element(elements, function, i, at, each); });
    });
  }
  FL_TRY_VOID(elements_written(elements));
  return function;
}

Support supports(const Graph& graph, const Target& target) {
  const Result<Function> written = lower(graph, {}, target);
  return written.ok() ? Support{} : Support::no(written.error().message);
}

ParameterSpace space(const Graph& graph, const Target& target) {
  std::int64_t elements = 0;
  for (const ValueId output : graph.outputs()) elements += element_count(graph.type(output).shape).value();
  ParameterSpace space;
  std::vector<std::int64_t> grains = {kSmallestGrain};
  for (std::int64_t grain : {4096, 65536}) {
    if (grain < elements) grains.push_back(grain);
  }
  add_axis(space, "grain", "elements per task", grains);
  add_axis(space, "threads", "threads that share the tasks", thread_counts(target, ceil_div(elements, kSmallestGrain)));
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
    case Op::kOpaque:
    case Op::kLayerNormalization:
    case Op::kRMSNormalization:
    case Op::kAttention:
    case Op::kRotaryEmbedding: return false;
    default: return true;
  }
}

Family elements_family() {
  return {"elements", supports, space, default_config, lower};
}

}  // namespace fuselab::codegen
