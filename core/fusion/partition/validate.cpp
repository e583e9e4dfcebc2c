// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <optional>
#include <utility>

#include "core/fusion/partition/fusion_engine.h"
#include "core/ops/infer.h"

namespace fuselab {
namespace {

using enum FusionConstraint;

std::string label(const Graph& graph, std::size_t index) {
  const Node& node = graph.nodes()[index];
  const std::string op = node.op == Op::kOpaque ? node.opaque_type : std::string(name_of(node.op));
  return node.name.empty() ? op + "#" + std::to_string(index) : op + " '" + node.name + "'";
}

bool one_of(const std::string& text, std::initializer_list<std::string_view> names) {
  return std::find(names.begin(), names.end(), text) != names.end();
}

// Every operand exists and is made before it is read: so the data flow is defined and has no cycle.
void check_flow(const Graph& graph, FusionValidation& found) {
  for (std::size_t i = 0; i < graph.nodes().size(); ++i) {
    for (ValueId input : graph.nodes()[i].inputs) {
      if (static_cast<std::size_t>(input) >= graph.values().size()) {
        found.fail(kDataFlow, label(graph, i) + " reads a value that does not exist");
        continue;
      }
      const auto& producer = graph.value(input).producer;
      if (producer && static_cast<std::size_t>(*producer) >= i) {
        found.fail(kDataFlow, label(graph, i) + " reads '" + graph.value(input).name + "' before it is computed: a cycle");
      }
    }
  }
  for (ValueId output : graph.outputs()) {
    if (static_cast<std::size_t>(output) >= graph.values().size()) found.fail(kDataFlow, "an output does not exist");
  }
  if (graph.outputs().empty()) found.fail(kDataFlow, "it has no output");
}

// The recorded types are what the operators make of their operands.
void check_types(const Graph& graph, FusionValidation& found) {
  for (std::size_t i = 0; i < graph.nodes().size(); ++i) {
    const Node& node = graph.nodes()[i];
    if (node.op == Op::kOpaque) continue;
    std::vector<TensorType> inputs;
    for (ValueId input : node.inputs) inputs.push_back(graph.type(input));
    const auto types = infer_types(node.op, inputs, node.attributes);
    if (!types.ok()) {
      found.fail(kDataFlow, label(graph, i) + ": " + types.error().message);
      continue;
    }
    for (std::size_t k = 0; k < node.outputs.size() && k < types.value().size(); ++k) {
      const TensorType& recorded = graph.type(node.outputs[k]);
      if (recorded == types.value()[k]) continue;
      found.fail(kDataFlow,
                 label(graph, i) + " makes " + type_text(types.value()[k]) + ", but " + type_text(recorded) + " is recorded");
    }
  }
}

void check_barriers(const Graph& graph, bool alone, FusionValidation& found) {
  for (std::size_t i = 0; i < graph.nodes().size(); ++i) {
    const Node& node = graph.nodes()[i];
    if (node.op != Op::kOpaque) continue;
    if (one_of(node.opaque_type, {"Print", "WriteToFile", "Send"})) {
      found.warn(kSideEffect, label(graph, i) + " has a side effect");
    } else if (one_of(node.opaque_type, {"If", "DynamicIf", "Loop", "Scan", "Recursion"})) {
      found.warn(kControlFlow, label(graph, i) + " is control flow");
    }
    if (!alone) found.fail(kControlFlow, label(graph, i) + " is a barrier and may not share a group");
  }
}

void warn_about_rows(const Graph& graph, std::size_t i, std::int64_t on_chip, FusionValidation& found) {
  const TensorType& type = graph.type(graph.nodes()[i].inputs.front());
  if (type.shape.empty() || type.shape.back().is_symbol()) return;
  const Bytes row = packed_size(type.dtype, type.shape.back().extent());
  if (on_chip == 0 || row.count <= on_chip) return;
  found.warn(kOnChipMemory, label(graph, i) + " keeps rows of " + format_bytes(row) + ", more than " +
                                format_bytes(Bytes{on_chip}) + " of shared memory: they are read again instead");
}

std::optional<Node> maker_of(const Graph& graph, ValueId id) {
  const auto producer = graph.value(id).producer;
  return producer ? std::optional(graph.node(*producer)) : std::nullopt;
}

// A number other than zero, or a sum of exponentials: what a softmax divides by.
bool is_surely_not_zero(const Graph& graph, ValueId divisor) {
  const auto maker = maker_of(graph, divisor);
  if (!maker) return false;
  if (maker->op == Op::kConstant) return maker->attributes.real("value", 0) != 0;
  if (maker->op != Op::kReduceSum) return false;
  const auto summed = maker_of(graph, maker->inputs.front());
  return summed && summed->op == Op::kExp;
}

void warn(const Graph& graph, const FusionLimits& limits, FusionValidation& found) {
  for (std::size_t i = 0; i < graph.nodes().size(); ++i) {
    const Node& node = graph.nodes()[i];
    const auto access = info_of(node.op).access;
    if (node.op == Op::kDiv && !is_surely_not_zero(graph, node.inputs[1]))
      found.warn(kNumericalPrecision, label(graph, i) + " may divide by zero");
    if (node.op == Op::kLog) found.warn(kNumericalPrecision, label(graph, i) + " may see a number that is not positive");
    if (access == AccessPattern::kGather) found.warn(kMemoryAccessPattern, label(graph, i) + " reads scattered positions");
    if (access != AccessPattern::kReduction || node.inputs.empty()) continue;
    warn_about_rows(graph, i, limits.shared_memory_bytes, found);
    const bool sums = node.op == Op::kReduceSum || node.op == Op::kReduceMean;
    const DType summed = graph.type(node.inputs.front()).dtype;
    if (sums && is_floating(summed) && bits_of(summed) <= 16) {
      found.warn(kNumericalPrecision, label(graph, i) + " sums " + std::string(name_of(summed)) + ": accumulate in f32");
    }
  }
}

}  // namespace

std::string_view name_of(FusionConstraint constraint) {
  switch (constraint) {
    case kDataFlow: return "DataFlow";
    case kNumericalPrecision: return "NumericalPrecision";
    case kOnChipMemory: return "OnChipMemory";
    case kSideEffect: return "SideEffect";
    case kControlFlow: return "ControlFlow";
    case kMemoryAccessPattern: return "MemoryAccessPattern";
  }
  return "DataFlow";
}

void FusionValidation::fail(FusionConstraint constraint, std::string text) {
  errors.push_back(text);
  findings.push_back({constraint, true, std::move(text)});
}

void FusionValidation::warn(FusionConstraint constraint, std::string text) {
  warnings.push_back(text);
  findings.push_back({constraint, false, std::move(text)});
}

FusionValidation validate(const FusedOperation& operation, const FusionLimits& limits) {
  FusionValidation found;
  const Graph& graph = operation.graph;
  const auto is_compute = [](const Node& node) { return node.op != Op::kConstant; };
  const auto computes = std::count_if(graph.nodes().begin(), graph.nodes().end(), is_compute);
  if (computes == 0) {
    found.fail(kDataFlow, "it has no operator");
    return found;
  }
  check_flow(graph, found);
  if (!found.valid()) return found;  // types of a broken graph mean nothing
  check_types(graph, found);
  check_barriers(graph, computes == 1, found);
  warn(graph, limits, found);
  return found;
}

}  // namespace fuselab
