// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "core/import/compositions/composition.h"
#include "core/import/nodes/composed_operators.h"
#include "core/import/nodes/translate.h"
#include "core/ops/op_attributes.h"

namespace fuselab::onnx {
namespace {

Translated unknown_attribute(const std::string& name) {
  return Translated::opaque("its attribute '" + name + "' is not known");
}

// Since opset 24 a mask may be shorter than the keys: those beyond it are masked. Empty: it is not.
std::string short_mask(NodeImport& node) {
  if (!node.has_input(3)) return "";
  const Shape& keys = node.type(1).shape;
  const Shape& mask = node.type(3).shape;
  if (keys.size() < 3 || mask.empty()) return "";
  const Dim& length = keys[keys.size() - 2];
  const Dim& covered = mask.back();
  if (length.is_symbol() || covered.is_symbol() || covered == Dim(1) || covered.extent() >= length.extent()) return "";
  return "its mask covers " + covered.text() + " of " + length.text() + " keys";
}

}  // namespace

// Operators whose operands and attributes are the same in ONNX and here.
Result<Translated> translate_direct(NodeImport& node) {
  // Scatter is what ScatterElements was called before opset 11.
  const Op op = node.op() == "Scatter" ? Op::kScatterElements : *parse_op(node.op());
  std::string unknown;
  Attributes attributes = node.attributes(op, unknown);
  if (!unknown.empty()) return unknown_attribute(unknown);
  for (int i = 1; i < node.proto().output_size(); ++i) {
    if (node.uses_output(i)) return Translated::opaque("more than its first result is read");
  }
  const auto most = static_cast<std::size_t>(std::max(0, info_of(op).max_inputs));
  if (node.input_count() > most) return Translated::opaque("it has " + std::to_string(node.input_count()) + " operands");
  for (std::size_t i = 0; i < node.input_count(); ++i) {
    if (!node.has_input(i)) return Translated::opaque("an operand in the middle is left out");
  }
  if (op == Op::kAttention) {
    if (const std::string because = short_mask(node); !because.empty()) return Translated::opaque(because);
  }
  return node.emit(op, node.values(), attributes);
}

Result<Translated> translate_softmax(NodeImport& node) {
  const auto rank = static_cast<std::int64_t>(node.type(0).shape.size());
  std::int64_t axis = node.integer("axis", node.opset() < 13 ? 1 : -1);
  if (axis < -rank || axis > rank)
    return invalid_argument("axis " + std::to_string(axis) + " is outside rank " + std::to_string(rank));
  if (axis < 0) axis += rank;
  // Before opset 13 all axes from `axis` on were one.
  if (node.opset() < 13 && axis != rank - 1) {
    Composition graph(node, node.type(0));
    const auto rows = graph.apply(Op::kFlatten, {graph.operand(0)}, {{"axis", axis}});
    return graph.finish(graph.reshape(graph.apply(*parse_op(node.op()), {rows}), node.type(0).shape));
  }
  return node.emit(*parse_op(node.op()), {node.value(0)}, {{"axis", axis == rank - 1 ? std::int64_t{-1} : axis}});
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
  if (!unknown.empty() && unknown != "spatial") return unknown_attribute(unknown);
  return node.emit(Op::kBatchNormalization, node.values(), {{"epsilon", all.real("epsilon", 1e-5)}});
}

Result<Translated> translate_gemm(NodeImport& node) {
  std::string unknown;
  Attributes attributes = node.attributes(Op::kGemm, unknown);
  if (!unknown.empty()) return unknown_attribute(unknown);
  return node.emit(Op::kGemm, node.values(), attributes);
}

}  // namespace fuselab::onnx
