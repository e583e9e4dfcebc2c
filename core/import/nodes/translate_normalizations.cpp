// SPDX-License-Identifier: Apache-2.0
#include "core/import/compositions/composition.h"
#include "core/import/nodes/operators.h"
#include "core/tensor/small_float.h"

namespace fuselab::onnx {
namespace {

using Term = Composition::Term;

std::vector<std::int64_t> axes_from(std::size_t first, std::size_t end) {
  std::vector<std::int64_t> axes;
  for (std::size_t i = first; i < end; ++i) axes.push_back(static_cast<std::int64_t>(i));
  return axes;
}

// Normalises all axes from `axis` on together.
Term normalised(Composition& graph, Term x, DType dtype, std::int64_t axis, double epsilon) {
  return graph.apply(Op::kLayerNormalization, {x, graph.number(1, dtype)}, {{"axis", axis}, {"epsilon", epsilon}});
}

// Times the scale, plus the bias: operands 1 and 2, each with as many axes behind its own one.
Term scaled(Composition& graph, Term x, std::size_t axes_behind) {
  const std::vector<std::int64_t> axes = axes_from(1, 1 + axes_behind);
  const Term product = graph.apply(Op::kMul, {x, graph.unsqueeze(graph.operand(1), axes)});
  return graph.apply(Op::kAdd, {product, graph.unsqueeze(graph.operand(2), axes)});
}

// Scale and bias are one number each for every one of these.
Status check_scales(NodeImport& node, const Dim& count) {
  for (std::size_t i = 1; i < 3; ++i) {
    if (node.type(i).shape == Shape{count}) continue;
    return invalid_argument("needs a scale and a bias " + shape_text({count}) + ", got " + type_text(node.type(i)));
  }
  return Status();
}

Result<Translated> translate_instance_norm(NodeImport& node) {
  std::string unknown;
  const Attributes attributes = attributes_by_row(node, unknown);
  if (!unknown.empty()) return Translated::unknown_attribute(unknown);
  const TensorType& type = node.type(0);
  if (type.shape.size() < 3) return Translated::opaque("it has nothing to normalise over: " + type_text(type));
  FL_TRY_VOID(check_scales(node, type.shape[1]));
  Composition graph(node, type);
  const Term x = normalised(graph, graph.operand(0), type.dtype, 2, attributes.real("epsilon", 1e-5));
  return graph.finish(scaled(graph, x, type.shape.size() - 2));
}

// Opset 18 scales each group, opset 21 each channel.
Result<Translated> translate_group_norm(NodeImport& node) {
  std::string unknown;
  const Attributes attributes = attributes_by_row(node, unknown);
  if (!unknown.empty()) return Translated::unknown_attribute(unknown);
  if (attributes.integer("stash_type", 1) != 1) return Translated::opaque("its first stage is not computed in f32");
  const TensorType& type = node.type(0);
  const std::int64_t groups = attributes.integer("num_groups", 0);
  if (type.shape.size() < 3) return Translated::opaque("it has nothing to normalise over: " + type_text(type));
  const Dim& channels = type.shape[1];
  if (channels.is_symbol()) return Translated::opaque("the number of its channels is not known");
  if (groups < 1 || channels.extent() % groups != 0) {
    return invalid_argument("cannot make " + std::to_string(groups) + " groups of " + channels.text() + " channels");
  }
  const bool per_group = node.opset() < 21;
  FL_TRY_VOID(check_scales(node, per_group ? Dim(groups) : channels));
  Composition graph(node, type);
  const Term rows = graph.reshape(graph.operand(0), {type.shape[0], groups, -1});
  Term x = normalised(graph, rows, type.dtype, 2, attributes.real("epsilon", 1e-5));
  if (per_group) x = scaled(graph, x, 1);
  x = graph.reshape(x, type.shape);
  return graph.finish(per_group ? x : scaled(graph, x, type.shape.size() - 2));
}

Result<Translated> translate_mean_variance_norm(NodeImport& node) {
  if (node.opset() < 9) return Translated::opaque("before opset 9 it was an experiment");
  std::string unknown;
  const Attributes attributes = attributes_by_row(node, unknown);
  if (!unknown.empty()) return Translated::unknown_attribute(unknown);
  const TensorType& type = node.type(0);
  Composition graph(node, type);
  const auto mean = [&](Term x) {
    return graph.apply(Op::kReduceMean, {x}, {{"axes", attributes.integers("axes", {0, 2, 3})}, {"keepdims", std::int64_t{1}}});
  };
  const Term x = graph.operand(0);
  const Term centred = graph.apply(Op::kSub, {x, mean(x)});
  const Term deviation = graph.apply(Op::kSqrt, {mean(graph.apply(Op::kMul, {centred, centred}))});
  const Term divisor = graph.apply(Op::kAdd, {deviation, graph.number(1e-9, type.dtype)});
  return graph.finish(graph.apply(Op::kDiv, {centred, divisor}));
}

Result<Translated> translate_lp_norm(NodeImport& node) {
  std::string unknown;
  const Attributes attributes = attributes_by_row(node, unknown);
  if (!unknown.empty()) return Translated::unknown_attribute(unknown);
  const std::int64_t p = attributes.integer("p", 2);
  if (p != 1 && p != 2) return invalid_argument("its p must be 1 or 2, got " + std::to_string(p));
  const TensorType& type = node.type(0);
  Composition graph(node, type);
  if (!is_floating(type.dtype)) graph.fail("it takes " + std::string(name_of(type.dtype)));
  if (!graph.fits()) return graph.finish(graph.operand(0));
  const Term x = graph.operand(0);
  const Term sizes = p == 1 ? graph.apply(Op::kAbs, {x}) : graph.apply(Op::kMul, {x, x});
  const Term sum =
      graph.apply(Op::kReduceSum, {sizes},
                  {{"axes", std::vector<std::int64_t>{attributes.integer("axis", -1)}}, {"keepdims", std::int64_t{1}}});
  const Term norm = p == 1 ? sum : graph.apply(Op::kSqrt, {sum});
  // Zeros have the norm 0 and stay zeros: ONNX defines it so. In f16 the bound is the least number that there is.
  const bool narrow = bits_of(type.dtype) <= 16 && type.dtype != DType::kBF16;
  const double least = narrow ? detail::smallest_subnormal_of(type.dtype) : detail::smallest_normal_of(type.dtype);
  return graph.finish(graph.apply(Op::kDiv, {x, graph.apply(Op::kClip, {norm}, {{"min", least}})}));
}

// What ONNX Runtime writes into ONNX's own domain: RMSNormalization by its older name.
Result<Translated> translate_simplified_norm(NodeImport& node) {
  std::string unknown;
  Attributes attributes = attributes_by_row(node, unknown);
  if (!unknown.empty()) return Translated::unknown_attribute(unknown);
  if (node.uses_output(1)) return Translated::opaque("more than its first result is read");
  return node.emit(Op::kRMSNormalization, node.values(), attributes);
}

// The squares of neighbouring channels are pooled as if the channels were the rows of a picture.
Result<Translated> translate_local_response_norm(NodeImport& node) {
  std::string unknown;
  const Attributes attributes = attributes_by_row(node, unknown);
  if (!unknown.empty()) return Translated::unknown_attribute(unknown);
  const TensorType& type = node.type(0);
  const std::int64_t size = attributes.integer("size", 0);
  if (type.shape.size() < 3) return invalid_argument("needs X [N,C,…] of rank 3 or more, got " + type_text(type));
  if (size < 1) return invalid_argument("its size is " + std::to_string(size));
  Composition graph(node, type);
  const Term x = graph.operand(0);
  const Term rows = graph.reshape(graph.apply(Op::kMul, {x, x}), {type.shape[0], 1, type.shape[1], -1});
  const Term means = graph.apply(Op::kAveragePool, {rows},
                                 {{"kernel_shape", std::vector<std::int64_t>{size, 1}},
                                  {"pads", std::vector<std::int64_t>{(size - 1) / 2, 0, size / 2, 0}},
                                  {"count_include_pad", std::int64_t{1}}});
  const Term scaled_means =
      graph.apply(Op::kMul, {graph.reshape(means, type.shape), graph.number(attributes.real("alpha", 1e-4), type.dtype)});
  const Term base = graph.apply(Op::kAdd, {scaled_means, graph.number(attributes.real("bias", 1.0), type.dtype)});
  const Term divisor = graph.apply(Op::kPow, {base, graph.number(attributes.real("beta", 0.75), type.dtype)});
  return graph.finish(graph.apply(Op::kDiv, {x, divisor}));
}

}  // namespace

Rows normalization_rows() {
  static constexpr OperatorRow kRows[] = {
      {"InstanceNormalization", translate_instance_norm, "consumed_inputs:I@1-5 epsilon:f", Operands::exactly(3)},
      {"GroupNormalization", translate_group_norm, "epsilon:f num_groups:i stash_type:i", Operands::exactly(3)},
      {"MeanVarianceNormalization", translate_mean_variance_norm, "axes:I", Operands::exactly(1)},
      {"LpNormalization", translate_lp_norm, "axis:i p:i", Operands::exactly(1)},
      {"LRN", translate_local_response_norm, "alpha:f beta:f bias:f size:i", Operands::exactly(1)},
      {"RMSNormalization", translate_direct, "axis:i epsilon:f stash_type:i"},
      {"SimplifiedLayerNormalization", translate_simplified_norm, "axis:i epsilon:f stash_type:i", Operands::exactly(2)},
  };
  return kRows;
}

}  // namespace fuselab::onnx
