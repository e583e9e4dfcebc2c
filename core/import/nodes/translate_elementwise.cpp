// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <limits>

#include "core/import/compositions/composition.h"
#include "core/import/nodes/operators.h"
#include "core/tensor/small_float.h"

namespace fuselab::onnx {
namespace {

std::optional<KnownTensor> fold(NodeImport& node) {
  if (node.op() == "Mod" && node.integer("fmod", 0) != 0) return std::nullopt;     // the dividend's sign
  if (node.opset() < 7 && node.attribute("axis") != nullptr) return std::nullopt;  // lined up in its own way
  if (node.input_count() == 1 && node.known(0) != nullptr) return fold_unary(node.op(), *node.known(0));
  if (node.input_count() == 2 && node.known(0) != nullptr && node.known(1) != nullptr) {
    if (is_comparison(*parse_op(node.op()))) return fold_comparison(node.op(), *node.known(0), *node.known(1));
    return fold_binary(node.op(), *node.known(0), *node.known(1));
  }
  const bool chooses = node.op() == "Where" && node.input_count() == 3;
  if (chooses && node.known(0) != nullptr && node.known(1) != nullptr && node.known(2) != nullptr) {
    return fold_where(*node.known(0), *node.known(1), *node.known(2));
  }
  return std::nullopt;
}

// A tensor of one number beside a tensor of as many dimensions or more broadcasts like a scalar: an immediate.
// Pow's exponent may be of another type than its base, ours may not.
ValueId operand(NodeImport& node, std::size_t i, std::size_t widest) {
  const KnownTensor* known = node.known(i);
  const auto number = known != nullptr ? known->scalar() : std::nullopt;
  const bool exponent = node.op() == "Pow" && i == 1;
  if (!number || known->shape.size() > widest) return node.value(i);
  if (known->shape.empty() && !exponent) return node.value(i);
  return node.constant(*number, exponent ? node.type(0).dtype : known->dtype);
}

// Returns whether an integer bound is the end of the 64-bit range: exporters write it for "no bound".
bool bounds_nothing(const KnownTensor& bound, bool upper) {
  const auto numbers = bound.plain_integers();
  if (!numbers || numbers->size() != 1) return false;
  const std::int64_t end = upper ? std::numeric_limits<std::int64_t>::max() : std::numeric_limits<std::int64_t>::min();
  return numbers->front() == end;
}

// Before opset 7 the second operand was lined up with the first one from `axis` on; now always at the end.
Result<std::optional<ValueId>> legacy_operand(NodeImport& node) {
  const bool legacy = node.opset() < 7 && node.input_count() == 2 && node.integer("broadcast", 0) != 0;
  if (!legacy || node.attribute("axis") == nullptr) return std::optional<ValueId>();
  const auto rank = static_cast<std::int64_t>(node.type(0).shape.size());
  const auto own = static_cast<std::int64_t>(node.type(1).shape.size());
  std::int64_t axis = node.integer("axis", 0);
  if (axis < 0) axis += rank;
  if (axis < 0 || axis > rank - own) return invalid_argument("axis " + std::to_string(axis) + " does not fit its operands");
  std::vector<std::int64_t> axes;
  for (std::int64_t i = own; i < rank - axis; ++i) axes.push_back(i);
  if (axes.empty()) return std::optional<ValueId>();
  FL_TRY(const Translated view, node.emit(Op::kUnsqueeze, {node.value(1)}, {{"axes", axes}}));
  return view.values.empty() ? std::optional<ValueId>() : std::optional<ValueId>(view.values.front());
}

// Applies bounds of which one is not known while importing. The lower one comes first, so that the upper one holds where they
// cross.
Result<Translated> clip_to_tensors(NodeImport& node) {
  Composition graph(node, node.type(0));
  auto clipped = graph.operand(0);
  for (std::size_t i = 1; i <= 2; ++i) {
    const bool bounds = node.has_input(i) && (node.known(i) == nullptr || !bounds_nothing(*node.known(i), i == 2));
    if (bounds) clipped = graph.apply(i == 1 ? Op::kMax : Op::kMin, {clipped, graph.operand(i)});
  }
  return graph.finish(clipped);
}

// Our own cast makes an infinity of what the type does not reach, where it has one; ONNX's stops at the largest number, and
// infinities do so as well.
Result<Translated> cast_saturating(NodeImport& node, DType to) {
  Composition graph(node, TensorType{to, node.type(0).shape});
  const double most = detail::largest_of(to);
  auto x = graph.operand(0);
  if (detail::largest_of(node.type(0).dtype) > most) x = graph.apply(Op::kClip, {x}, {{"min", -most}, {"max", most}});
  return graph.finish(graph.apply(Op::kCast, {x}, {{"to", std::string(name_of(to))}}));
}

Result<Translated> cast_to(NodeImport& node, DType to) {
  if (const KnownTensor* known = node.known(0)) {
    Translated translated;
    if ((translated.known = fold_cast(*known, to))) return translated;
  }
  if (node.integer("saturate", 1) == 0 && to == DType::kF8E4M3) return Translated::opaque("it casts without saturation");
  // Exporters write out casts to the type that there is; in the middle of a pattern they would hide it.
  if (node.type(0).dtype == to && !node.is_output(0)) return Translated::renamed_operand();
  if (to == DType::kF8E5M2 && node.integer("saturate", 1) != 0) return cast_saturating(node, to);
  return node.emit(Op::kCast, {node.value(0)}, {{"to", std::string(name_of(to))}});
}

Result<Translated> translate_elementwise(NodeImport& node) {
  Translated translated;
  if ((translated.known = fold(node))) return translated;
  const Op op = *parse_op(node.op());
  std::string unknown;
  Attributes attributes = node.attributes(op, unknown);
  if (!unknown.empty()) return Translated::unknown_attribute(unknown);
  std::size_t widest = 0;  // of the operands that are no known numbers
  bool computed = false;
  for (std::size_t i = 0; i < node.input_count(); ++i) {
    if (node.known(i) != nullptr && node.known(i)->size() == 1) continue;
    widest = std::max(widest, node.type(i).shape.size());
    computed = true;
  }
  std::vector<ValueId> inputs;
  for (std::size_t i = 0; i < node.input_count(); ++i) inputs.push_back(computed ? operand(node, i, widest) : node.value(i));
  FL_TRY(const std::optional<ValueId> legacy, legacy_operand(node));
  if (legacy) inputs[1] = *legacy;
  return node.emit(op, std::move(inputs), attributes);
}

Result<Translated> translate_clip(NodeImport& node) {
  std::string unknown;
  const Attributes own = node.attributes(Op::kClip, unknown);
  if (!unknown.empty()) return Translated::unknown_attribute(unknown);
  if (node.input_count() > 3) return Translated::opaque("it has " + std::to_string(node.input_count()) + " operands");
  Attributes attributes;
  for (std::size_t i = 1; i <= 2; ++i) {
    const char* const name = i == 1 ? "min" : "max";
    std::optional<double> bound;
    if (own.has(name)) bound = own.real(name, 0);
    if (node.has_input(i)) {
      if (node.known(i) != nullptr && bounds_nothing(*node.known(i), i == 2)) continue;
      bound = node.known(i) != nullptr ? node.known(i)->scalar() : std::nullopt;
      if (!bound) return clip_to_tensors(node);
    }
    const bool endless = bound && std::isinf(*bound) && (*bound > 0) == (i == 2);
    if (bound && !endless) attributes.set(name, *bound);
  }
  return node.emit(Op::kClip, {node.value(0)}, attributes);
}

Result<Translated> translate_cast(NodeImport& node) {
  const auto to = dtype_of_code(node.integer("to", 0));
  if (!to) return Translated::opaque("it casts to a type that is not known");
  return cast_to(node, *to);
}

Result<Translated> translate_cast_like(NodeImport& node) {
  return cast_to(node, node.type(1).dtype);
}

// Sum and Mean of any number of tensors.
Result<Translated> translate_sum(NodeImport& node) {
  Composition graph(node);
  auto sum = graph.operand(0);
  for (std::size_t i = 1; i < node.input_count(); ++i) sum = graph.apply(Op::kAdd, {sum, graph.operand(i)});
  if (node.op() == "Mean" && node.input_count() > 1) {
    sum = graph.apply(Op::kDiv, {sum, graph.number(static_cast<double>(node.input_count()), node.type(0).dtype)});
  }
  return graph.finish(sum);
}

}  // namespace

Rows elementwise_rows() {
  static constexpr std::string_view kBroadcast = "axis:i@1-6 broadcast:i@1-6";
  static constexpr std::string_view kBroadcastInPlace = "axis:i@1-6 broadcast:i@1-6 consumed_inputs:I@1-5";
  static constexpr OperatorRow kRows[] = {
      {"Identity", translate_elementwise},
      {"Neg", translate_elementwise, "consumed_inputs:I@1-5"},
      {"Abs", translate_elementwise, "consumed_inputs:I@1-5"},
      {"Exp", translate_elementwise, "consumed_inputs:I@1-5"},
      {"Log", translate_elementwise, "consumed_inputs:I@1-5"},
      {"Sqrt", translate_elementwise, "consumed_inputs:I@1-5"},
      {"Reciprocal", translate_elementwise, "consumed_inputs:I@1-5"},
      {"Erf", translate_elementwise},
      {"Tanh", translate_elementwise, "consumed_inputs:I@1-5"},
      {"Sigmoid", translate_elementwise, "consumed_inputs:I@1-5"},
      {"Relu", translate_elementwise, "consumed_inputs:I@1-5"},
      {"LeakyRelu", translate_elementwise, "alpha:f consumed_inputs:I@1-5"},
      {"Gelu", translate_elementwise, "approximate:s"},
      {"Swish", translate_elementwise, "alpha:f"},
      {"Sin", translate_elementwise},
      {"Cos", translate_elementwise},
      {"Tan", translate_elementwise},
      {"Asin", translate_elementwise},
      {"Acos", translate_elementwise},
      {"Atan", translate_elementwise},
      {"Asinh", translate_elementwise},
      {"Acosh", translate_elementwise},
      {"Atanh", translate_elementwise},
      {"Floor", translate_elementwise, "consumed_inputs:I@1-5"},
      {"Ceil", translate_elementwise, "consumed_inputs:I@1-5"},
      {"Round", translate_elementwise},
      {"Sign", translate_elementwise},
      {"IsNaN", translate_elementwise},
      {"IsInf", translate_elementwise, "detect_negative:i detect_positive:i"},
      {"Shrink", translate_elementwise, "bias:f lambd:f"},
      {"ThresholdedRelu", translate_elementwise, "alpha:f"},
      {"Add", translate_elementwise, kBroadcastInPlace},
      {"Sub", translate_elementwise, kBroadcastInPlace},
      {"Mul", translate_elementwise, kBroadcastInPlace},
      {"Div", translate_elementwise, kBroadcastInPlace},
      {"Pow", translate_elementwise, kBroadcast},
      {"Mod", translate_elementwise, "fmod:i"},
      {"Min", translate_elementwise, "consumed_inputs:I@1-5"},
      {"Max", translate_elementwise, "consumed_inputs:I@1-5"},
      {"Where", translate_elementwise},
      {"BitwiseAnd", translate_elementwise},
      {"Equal", translate_elementwise, kBroadcast},
      {"Less", translate_elementwise, kBroadcast},
      {"Greater", translate_elementwise, kBroadcast},
      {"LessOrEqual", translate_elementwise},
      {"GreaterOrEqual", translate_elementwise},
      {"And", translate_elementwise, kBroadcast},
      {"Or", translate_elementwise, kBroadcast},
      {"Xor", translate_elementwise, kBroadcast},
      {"Not", translate_elementwise},
      {"Clip", translate_clip, "consumed_inputs:I@1-5 max:f@1-10 min:f@1-10", Operands::gaps_beyond(1)},
      {"Cast", translate_cast, "round_mode:s@24- saturate:i@19- to:i@6- to:s@1-5"},
      {"CastLike", translate_cast_like, "round_mode:s@24- saturate:i@19-", Operands::exactly(2)},
      {"Sum", translate_sum, "consumed_inputs:I@1-5", Operands::at_least(1)},
      {"Mean", translate_sum, "consumed_inputs:I@1-5", Operands::at_least(1)},
  };
  return kRows;
}

}  // namespace fuselab::onnx
