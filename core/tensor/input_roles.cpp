// SPDX-License-Identifier: Apache-2.0
#include "core/tensor/input_roles.h"

#include <algorithm>
#include <cmath>
#include <optional>

#include "core/base/result.h"
#include "core/tensor/index_range.h"

namespace fuselab::detail {
namespace {

std::int64_t extent_at(const TensorType& type, std::int64_t axis) {
  const std::int64_t rank = static_cast<std::int64_t>(type.shape.size());
  return type.shape.at(static_cast<std::size_t>(axis < 0 ? axis + rank : axis)).extent();
}

bool only_renames(Op op) {
  return is_view(op) || op == Op::kCast || op == Op::kTranspose || op == Op::kExpand;
}

std::optional<double> constant_of(const Graph& graph, ValueId value) {
  const auto& producer = graph.value(value).producer;
  if (!producer.has_value() || graph.node(*producer).op != Op::kConstant) return std::nullopt;
  return graph.node(*producer).attributes.real("value", 0);
}

bool is_one_element(const Graph& graph, ValueId value) {
  const auto count = element_count(graph.type(value).shape);
  return count.ok() && count.value() == 1;
}

// Returns whether the sign of operand `position` decides the sign of what `node` makes of it.
bool keeps_sign(const Graph& graph, const Node& node, std::size_t position) {
  switch (node.op) {
    case Op::kAdd:
    case Op::kReduceSum:
    case Op::kReduceMean: return true;
    case Op::kDiv: return position == 0;
    case Op::kMul: {
      const ValueId other = node.inputs[1 - position];
      return other != node.inputs[position] && (constant_of(graph, other).has_value() || is_one_element(graph, other));
    }
    default: return only_renames(node.op);
  }
}

bool needs_positive(const Graph& graph, const Node& node, std::size_t position) {
  if (role_of(node.op, position) == OperandRole::kPositive) return true;
  if (node.op != Op::kPow || position != 0) return false;
  const auto exponent = constant_of(graph, node.inputs[1]);
  return exponent.has_value() && *exponent != std::floor(*exponent);
}

bool reaches_positive(const Graph& graph, ValueId value, int depth) {
  constexpr int kMaxDepth = 16;  // bounds the walk on a graph with many joins
  if (depth > kMaxDepth) return false;
  for (const NodeId reader : graph.consumers(value)) {
    const Node& node = graph.node(reader);
    for (std::size_t i = 0; i < node.inputs.size(); ++i) {
      if (node.inputs[i] != value) continue;
      if (needs_positive(graph, node, i)) return true;
      if (keeps_sign(graph, node, i) && reaches_positive(graph, node.outputs[0], depth + 1)) return true;
    }
  }
  return false;
}

std::optional<InputUse> index_use(const Graph& graph, const Node& node, std::size_t position) {
  const std::vector<IndexRange> ranges = index_ranges(graph, node, position);
  if (!ranges.empty()) {
    const auto fewer = [](const IndexRange& a, const IndexRange& b) { return a.entries < b.entries; };
    return InputUse{InputRole::kIndex, std::min_element(ranges.begin(), ranges.end(), fewer)->entries, 1};
  }
  // How many steps each sequence has: any number from none to all.
  if (is_recurrence(node.op) && position > 2 && !is_floating(graph.type(node.inputs[position]).dtype))
    return InputUse{InputRole::kIndex, extent_at(graph.type(node.inputs[0]), 0) + 1, 1};
  return std::nullopt;
}

std::int64_t fan_in_of(const Graph& graph, const Node& node, std::size_t position) {
  const TensorType& type = graph.type(node.inputs[position]);
  if (is_recurrence(node.op)) return extent_at(type, 2);
  if (node.op == Op::kMatMul) return extent_at(type, type.shape.size() > 1 ? -2 : 0);
  if (node.op == Op::kGemm) return extent_at(type, node.attributes.integer("transB", 0) != 0 ? 1 : 0);
  std::int64_t fan_in = 1;
  for (std::size_t axis = 1; axis < type.shape.size(); ++axis) fan_in *= type.shape[axis].extent();
  return fan_in;
}

bool has_padding(const Node& node) {
  const std::vector<std::int64_t> pads = node.attributes.integers("pads", {});
  return std::any_of(pads.begin(), pads.end(), [](std::int64_t pad) { return pad != 0; });
}

// Returns whether an operand of the role kWeight is made as a weight is. A filter beside padding always is: an infinity there times
// the padding's zero is NaN for a program that multiplies it and nothing for one that leaves the border out, and both are right.
bool is_weight(const Node& node, bool is_param) {
  return is_param || (node.op == Op::kConv && has_padding(node));
}

std::optional<InputUse> use_by(const Graph& graph, const Node& node, std::size_t position, bool is_param) {
  if (const auto use = index_use(graph, node, position)) return use;
  const OperandRole role = role_of(node.op, position);
  if (role == OperandRole::kGain) return InputUse{InputRole::kScale, 0, 1};
  if (role == OperandRole::kDivisor) return InputUse{InputRole::kDivisor, 0, 1};
  if (role == OperandRole::kMask) return InputUse{InputRole::kMask, 0, 1};
  if (role == OperandRole::kWeight && is_weight(node, is_param))
    return InputUse{InputRole::kWeight, 0, fan_in_of(graph, node, position)};
  return std::nullopt;
}

std::optional<InputUse> find_use(const Graph& graph, ValueId value, bool is_param) {
  for (const NodeId reader : graph.consumers(value)) {
    const Node& node = graph.node(reader);
    for (std::size_t i = 0; i < node.inputs.size(); ++i) {
      if (node.inputs[i] != value) continue;
      if (const auto use = use_by(graph, node, i, is_param)) return use;
      if (!only_renames(node.op)) continue;
      if (const auto use = find_use(graph, node.outputs[0], is_param)) return use;
    }
  }
  return std::nullopt;
}

bool is_widened_byte(const Graph& graph, ValueId input) {
  const DType dtype = graph.type(input).dtype;
  if (dtype != DType::kI8 && dtype != DType::kU8) return false;
  const auto readers = graph.consumers(input);
  return std::any_of(readers.begin(), readers.end(), [&](NodeId reader) {
    const Node& node = graph.node(reader);
    return node.op == Op::kCast && graph.type(node.outputs.front()).dtype == DType::kI32;
  });
}

}  // namespace

InputUse use_of(const Graph& graph, ValueId input) {
  const bool is_param = graph.value(input).origin == ValueOrigin::kParam;
  const auto use = find_use(graph, input, is_param);
  if (use.has_value() && use->role == InputRole::kIndex) return *use;
  if (reaches_positive(graph, input, 0)) return {InputRole::kPositive, 0, 1};
  const bool is_divisor = use.has_value() && use->role == InputRole::kDivisor;
  if (!is_divisor && is_widened_byte(graph, input)) return {InputRole::kByte, 0, 1};
  return use.value_or(InputUse{});
}

}  // namespace fuselab::detail
