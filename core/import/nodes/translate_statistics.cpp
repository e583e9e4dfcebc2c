// SPDX-License-Identifier: Apache-2.0
// Normalisations that also give their statistics. Where something reads those, they are written as operators that share what both
// need. Else each is left as one.
#include <algorithm>

#include "core/import/compositions/composition.h"
#include "core/import/nodes/operators.h"
#include "core/ops/op_attributes.h"

namespace fuselab::onnx {
namespace {

using Term = Composition::Term;

const Attributes kKept{{"keepdims", std::int64_t{1}}};

Attributes along(std::vector<std::int64_t> axes) {
  Attributes attributes = kKept;
  attributes.set("axes", std::move(axes));
  return attributes;
}

// Holds what a normalisation finds of its numbers along axes, which stay with the extent 1.
struct Spread {
  Term mean, centred, variance;
};

Spread spread_of(Composition& graph, Term x, const std::vector<std::int64_t>& axes) {
  const Term mean = graph.apply(Op::kReduceMean, {x}, along(axes));
  const Term centred = graph.apply(Op::kSub, {x, mean});
  return {mean, centred, graph.apply(Op::kReduceMean, {graph.apply(Op::kMul, {centred, centred})}, along(axes))};
}

Term deviation(Composition& graph, Term variance, double epsilon) {
  return graph.apply(Op::kSqrt, {graph.apply(Op::kAdd, {variance, graph.number(epsilon, graph.type(variance).dtype)})});
}

// LayerNormalization with its mean and the inverse of its deviation, which ONNX has in f32 whatever x is.
Result<Translated> layer_norm_with_statistics(NodeImport& node, std::size_t axis, double epsilon) {
  const TensorType type = node.type(0);
  Composition graph(node, type);
  const Shape row(type.shape.begin() + static_cast<std::ptrdiff_t>(axis), type.shape.end());
  // Several axes taken as rows of one axis are one kernel with what follows them.
  bool as_rows = axis + 1 < type.shape.size() && is_concrete(type.shape) && element_count(row).ok();
  for (std::size_t i = 1; i < node.input_count(); ++i) as_rows = as_rows && node.type(i).shape == row;
  std::vector<std::int64_t> axes;
  for (std::size_t i = axis; i < type.shape.size(); ++i) axes.push_back(static_cast<std::int64_t>(i));
  Term x = graph.operand(0);
  if (as_rows) x = graph.apply(Op::kFlatten, {x}, {{"axis", static_cast<std::int64_t>(axis)}});
  x = graph.cast(x, DType::kF32);
  const auto vector = [&](std::size_t i) {
    return as_rows ? graph.reshape(graph.operand(i), {Dim(element_count(row).value())}) : graph.operand(i);
  };
  const Spread spread = spread_of(graph, x, as_rows ? std::vector<std::int64_t>{1} : axes);
  const Term inverse = graph.apply(Op::kReciprocal, {deviation(graph, spread.variance, epsilon)});
  const Term normal = graph.cast(graph.apply(Op::kMul, {spread.centred, inverse}), type.dtype);
  Term y = graph.apply(Op::kMul, {normal, vector(1)});
  if (node.has_input(2)) y = graph.apply(Op::kAdd, {y, vector(2)});
  if (!as_rows) return graph.finish({y, spread.mean, inverse});
  Shape kept = type.shape;
  for (std::size_t i = axis; i < kept.size(); ++i) kept[i] = Dim(1);
  return graph.finish({graph.reshape(y, type.shape), graph.reshape(spread.mean, kept), graph.reshape(inverse, kept)});
}

Result<Translated> translate_layer_norm(NodeImport& node) {
  if (!node.uses_output(1) && !node.uses_output(2)) return translate_direct(node);
  std::string unknown;
  const Attributes attributes = node.attributes(Op::kLayerNormalization, unknown);
  if (!unknown.empty()) return Translated::unknown_attribute(unknown);
  if (node.integer("stash_type", 1) != 1) return Translated::opaque("its first stage is not computed in f32");
  if (!is_floating(node.type(0).dtype)) return Translated::opaque("it takes " + std::string(name_of(node.type(0).dtype)));
  const auto rank = static_cast<std::int64_t>(node.type(0).shape.size());
  const std::int64_t axis = attributes.integer("axis", -1);
  if (axis < -rank || axis >= rank)
    return invalid_argument("axis " + std::to_string(axis) + " is outside rank " + std::to_string(rank));
  return layer_norm_with_statistics(node, static_cast<std::size_t>(axis < 0 ? axis + rank : axis),
                                    attributes.real("epsilon", 1e-5));
}

// Normalised by what its own numbers are; the running statistics move towards that.
Result<Translated> translate_training_batch_norm(NodeImport& node) {
  std::string unknown;
  const Attributes attributes = node.attributes(Op::kBatchNormalization, unknown);
  if (!unknown.empty()) return Translated::unknown_attribute(unknown);
  const TensorType type = node.type(0);
  if (type.shape.size() < 2) return Translated::opaque("it has no channels: " + type_text(type));
  if (node.input_count() != 5) return invalid_argument("has " + std::to_string(node.input_count()) + " operands while it trains");
  const Dim channels = type.shape[1];
  for (std::size_t i = 1; i < node.input_count(); ++i) {
    if (node.type(i).dtype != type.dtype) return Translated::opaque("its statistics are of another type than its input");
    if (node.type(i).shape != Shape{channels})
      return invalid_argument("needs one number per channel, " + shape_text({channels}) + ", got " + type_text(node.type(i)));
  }
  Composition graph(node, type);
  std::vector<std::int64_t> axes{0}, behind;
  for (std::int64_t i = 2; i < static_cast<std::int64_t>(type.shape.size()); ++i) {
    axes.push_back(i);
    behind.push_back(i - 1);
  }
  const auto number = [&](double value) { return graph.number(value, type.dtype); };
  const Spread spread = spread_of(graph, graph.operand(0), axes);
  const Term normal = graph.apply(Op::kDiv, {spread.centred, deviation(graph, spread.variance, attributes.real("epsilon", 1e-5))});
  const Term scaled = graph.apply(Op::kMul, {normal, graph.unsqueeze(graph.operand(1), behind)});
  const Term y = graph.apply(Op::kAdd, {scaled, graph.unsqueeze(graph.operand(2), behind)});
  const double momentum = attributes.real("momentum", 0.9);
  const auto running = [&](std::size_t before, Term now) {
    const Term kept = graph.apply(Op::kMul, {graph.operand(before), number(momentum)});
    return graph.apply(Op::kAdd, {kept, graph.apply(Op::kMul, {graph.reshape(now, {channels}), number(1 - momentum)})});
  };
  const Term mean = running(3, spread.mean);
  return graph.finish({y, mean, running(4, spread.variance)});
}

Result<Translated> translate_batch_norm(NodeImport& node) {
  if (node.integer("training_mode", 0) != 0) return translate_training_batch_norm(node);
  if (node.opset() < 9 && node.integer("spatial", 1) == 0) return Translated::opaque("it normalises each position apart");
  if (node.opset() < 7 && node.integer("is_test", 0) == 0) return Translated::opaque("it is training");
  for (int i = 1; i < node.proto().output_size(); ++i) {
    if (node.uses_output(i)) return Translated::opaque("its running statistics are read");
  }
  std::string unknown;
  const Attributes all = node.attributes(Op::kBatchNormalization, unknown);
  if (!unknown.empty() && unknown != "spatial") return Translated::unknown_attribute(unknown);
  return node.emit(Op::kBatchNormalization, node.values(), {{"epsilon", all.real("epsilon", 1e-5)}});
}

}  // namespace

Rows statistics_rows() {
  static constexpr OperatorRow kRows[] = {
      {"LayerNormalization", translate_layer_norm, "axis:i epsilon:f stash_type:i"},
      {"BatchNormalization", translate_batch_norm,
       "consumed_inputs:I@1-5 epsilon:f is_test:i@1-6 momentum:f spatial:i@1-8 training_mode:i@14-"},
  };
  return kRows;
}

}  // namespace fuselab::onnx
