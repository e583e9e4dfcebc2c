// SPDX-License-Identifier: Apache-2.0
#include "backends/codegen/pull_family.h"

#include <algorithm>

#include "backends/codegen/axes.h"
#include "backends/codegen/pull.h"
#include "backends/codegen/row_address.h"

namespace fuselab::codegen {
namespace {

constexpr std::size_t kMostNodes = 64;
constexpr std::int64_t kSmallestGrain = 256;
constexpr double kMostTurns = 2e9;  // about five seconds: CumSum took 2.6 ns a turn on two cores, and a launch may last ten

std::int64_t ceil_div(std::int64_t a, std::int64_t b) {
  return (a + b - 1) / b;
}

// Whether an element is made of more than the operands' elements at its own place.
bool reaches(Op op) {
  return !is_elementwise(op) && !is_view(op) && op != Op::kConstant;
}

Status check(const Graph& graph) {
  if (!graph.is_concrete()) return Error{ErrorCode::kUnsupported, "the shape still has symbols: bind them with --shape"};
  if (graph.nodes().empty()) return Error{ErrorCode::kUnsupported, "the graph computes nothing"};
  if (graph.nodes().size() > kMostNodes) return Error{ErrorCode::kUnsupported, "too many operators for one kernel"};
  const Node* reaching = nullptr;
  for (const Node& node : graph.nodes()) {
    if (!is_pulled(node.op) && node.op != Op::kConstant) return unsupported(node, "is not generated");
    if (!reaches(node.op)) continue;
    if (reaching != nullptr)
      return unsupported(node, "behind or beside " + std::string(name_of(reaching->op)) + " is not generated");
    reaching = &node;
  }
  for (const Value& value : graph.values()) {
    const int bits = bits_of(value.type.dtype);
    const bool is_small_float = is_floating(value.type.dtype) && bits == 8;
    if (bits < 8 || is_small_float) {
      return Error{ErrorCode::kUnsupported, std::string(name_of(value.type.dtype)) + " is not generated"};
    }
    FL_TRY_VOID(size_of(value.type));  // more elements than a number can count
  }
  for (const ValueId output : graph.outputs()) {
    if (!graph.value(output).producer) return Error{ErrorCode::kUnsupported, "an output is an input passed through"};
    if (element_count(graph.type(output).shape).value() == 0) return Error{ErrorCode::kUnsupported, "an empty result"};
  }
  return Status();
}

void store(Body& body, const KernelParameter& parameter, const ExprPtr& at, const ExprPtr& value) {
  BodyBuilder builder(body);
  if (value->type == kIndex) return builder.assign(element(parameter.name, {at}, kIndex), value);
  const bool is_half = parameter.storage == DType::kF16 || parameter.storage == DType::kBF16;
  builder.store({parameter.name, at, is_half ? call("narrow", {DType::kF32, 1}, {value}) : value, parameter.storage, false});
}

// Each result is cut into tasks of `grain` elements; the tasks of one result follow those of the other.
Result<Function> lower(const Graph& graph, const LaunchConfig& config, const Target&) {
  FL_TRY_VOID(check(graph));
  const std::int64_t grain = config.integer("grain", kSmallestGrain);
  Names names;
  Function function;
  function.parameters = name_parameters(graph, names);
  function.tasks = 0;
  std::int64_t most_elements = 0;
  Pull pull(graph, function.parameters, names);
  const ExprPtr task = variable(function.task_variable, kIndex);
  for (std::size_t i = 0; i < graph.outputs().size(); ++i) {
    const auto extents = extents_of(graph.type(graph.outputs()[i]).shape);
    const std::int64_t count = element_count(graph.type(graph.outputs()[i]).shape).value();
    most_elements = std::max(most_elements, count);
    const ExprPtr part = task - integer(function.tasks);
    const std::int64_t before = function.tasks;
    function.tasks += ceil_div(count, grain);
    const ExprPtr mine = binary("&&", binary(">=", task, integer(before)), binary("<", task, integer(function.tasks)));
    pull.when(function.body, mine, [&](Body& body) {
      const ExprPtr first = pull.keep(body, "first", part * integer(grain));
      const ExprPtr last = pull.keep(body, "last", call("whole_min", kIndex, {first + integer(grain), integer(count)}));
      pull.loop(body, "at", first, last, [&](Body& each, const ExprPtr& at) {
        const ExprPtr value = pull.value(graph.outputs()[i], place_of(at, extents), each);
        store(each, function.parameters[graph.inputs().size() + i], at, value);
      });
    });
  }
  if (pull.most_turns() * static_cast<double>(most_elements) > kMostTurns) {
    return Error{ErrorCode::kUnsupported, "would take too long one element at a time"};
  }
  if (!pull.refusal().empty()) return Error{ErrorCode::kUnsupported, pull.refusal()};
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

bool is_pulled(Op op) {
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

Family pull_family() {
  return {"elements", supports, space, default_config, lower};
}

}  // namespace fuselab::codegen
