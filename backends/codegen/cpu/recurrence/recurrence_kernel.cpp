// SPDX-License-Identifier: Apache-2.0
#include "backends/codegen/cpu/recurrence/recurrence_kernel.h"

#include <algorithm>
#include <utility>

#include "backends/codegen/rows/row_builder.h"
#include "core/cost/cost.h"
#include "core/cost/memory_of.h"
#include "core/graph/recurrence_extents.h"

namespace fuselab::codegen {
namespace {

constexpr double kMostFlops = 1e11;  // some ten seconds of one core, and a launch may last ten

Error no(std::string why) {
  return {ErrorCode::kUnsupported, std::move(why)};
}

// The graph's only operator that computes something.
Result<const Node*> only_recurrence(const Graph& graph) {
  const Node* found = nullptr;
  for (const Node& node : graph.nodes()) {
    if (is_view(node.op)) continue;
    if (!is_recurrence(node.op)) return unsupported(node, "is not generated beside a recurrence");
    if (found != nullptr) return unsupported(node, "behind or beside another recurrence is not generated");
    found = &node;
  }
  if (found == nullptr) return no("there is no LSTM, GRU or RNN");
  return found;
}

Status connect(const Graph& graph, RecurrenceKernel& kernel) {
  const Node& node = *kernel.node;
  for (const ValueId operand : node.inputs) {
    const ValueId source = memory_of(graph, operand);
    const auto& inputs = graph.inputs();
    const auto found = std::find(inputs.begin(), inputs.end(), source);
    if (found == inputs.end()) return unsupported(node, "of something computed in its kernel is not generated");
    kernel.inputs.push_back(static_cast<std::size_t>(found - inputs.begin()));
  }
  for (const ValueId output : graph.outputs()) {
    const ValueId result = memory_of(graph, output);
    const auto found = std::find(node.outputs.begin(), node.outputs.end(), result);
    if (found == node.outputs.end()) return no("an output is an input passed through");
    kernel.results.push_back(static_cast<std::size_t>(found - node.outputs.begin()));
  }
  return Status();
}

}  // namespace

Result<RecurrenceKernel> make_recurrence(const Graph& graph) {
  if (!std::any_of(graph.nodes().begin(), graph.nodes().end(), [](const Node& node) { return is_recurrence(node.op); }))
    return no("there is no LSTM, GRU or RNN");
  if (!graph.is_concrete()) return no("the shape still has symbols: bind them with --shape");
  RecurrenceKernel kernel;
  FL_TRY(kernel.node, only_recurrence(graph));
  const Node& node = *kernel.node;
  const DType dtype = graph.type(node.inputs[0]).dtype;
  if (bits_of(dtype) < 16) return unsupported(node, "of " + std::string(name_of(dtype)) + " is not generated");
  kernel.compute = dtype == DType::kF64 ? DType::kF64 : DType::kF32;
  FL_TRY(kernel.recurrence, recurrence_of(node.op, node.attributes, node.inputs.size()));
  kernel.extents = recurrence_extents(graph, node);
  const RecurrenceExtents& extents = kernel.extents;
  if (extents.steps < 1 || extents.batch < 1 || extents.width < 1 || extents.hidden < 1)
    return unsupported(node, "of an empty tensor is not generated");
  for (const Value& value : graph.values()) FL_TRY_VOID(size_of(value.type));  // more elements than a number can count
  if (flops_of(graph, node) > kMostFlops) return unsupported(node, "would take too long in one launch");
  FL_TRY_VOID(connect(graph, kernel));
  return kernel;
}

}  // namespace fuselab::codegen
