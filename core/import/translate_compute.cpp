// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "core/graph/op_attributes.h"
#include "core/import/composition.h"

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

// SAME padding written out: as many outputs as strides fit into the input.
Result<std::vector<std::int64_t>> same_pads(NodeImport& node, const std::vector<std::int64_t>& kernel, bool upper) {
  const Shape& shape = node.type(0).shape;
  const auto strides = node.integer_list("strides").value_or(std::vector<std::int64_t>(kernel.size(), 1));
  const auto dilations = node.integer_list("dilations").value_or(std::vector<std::int64_t>(kernel.size(), 1));
  constexpr std::int64_t kMost = std::int64_t{1} << 31;
  if (shape.size() != kernel.size() + 2 || strides.size() != kernel.size() || dilations.size() != kernel.size()) {
    return invalid_argument("strides, dilations and kernel do not fit its input");
  }
  std::vector<std::int64_t> pads(2 * kernel.size());
  for (std::size_t i = 0; i < kernel.size(); ++i) {
    const Dim& dim = shape[i + 2];
    if (dim.is_symbol()) return Error{ErrorCode::kUnsupported, "SAME padding needs the extent of '" + dim.name() + "'"};
    for (std::int64_t number : {kernel[i], strides[i], dilations[i], dim.extent()}) {
      if (number < 1 || number > kMost) return invalid_argument("its window has the extent " + std::to_string(number));
    }
    const std::int64_t outputs = (dim.extent() + strides[i] - 1) / strides[i];
    const std::int64_t reach = (kernel[i] - 1) * dilations[i] + 1;
    const std::int64_t total = std::max<std::int64_t>(0, (outputs - 1) * strides[i] + reach - dim.extent());
    pads[i] = upper ? total / 2 : total - total / 2;
    pads[i + kernel.size()] = total - pads[i];
  }
  return pads;
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
  return node.emit(op, node.values(), std::move(attributes));
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
  if (node.integer("training_mode", 0) != 0) return Translated::opaque("it is training");
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

Result<Translated> translate_window(NodeImport& node) {
  const Op op = *parse_op(node.op());
  std::string unknown;
  Attributes attributes = node.attributes(op, unknown);
  if (!unknown.empty()) return unknown_attribute(unknown);
  if (node.uses_output(1)) return Translated::opaque("its indices are read");
  const std::string padding = node.text("auto_pad", "NOTSET");
  if (padding == "SAME_UPPER" || padding == "SAME_LOWER") {
    std::vector<std::int64_t> kernel = attributes.integers("kernel_shape");
    if (kernel.empty() && node.has_input(1) && is_concrete(node.type(1).shape) && node.type(1).shape.size() > 2) {
      kernel = extents_of(node.type(1).shape);
      kernel.erase(kernel.begin(), kernel.begin() + 2);
    }
    auto pads = same_pads(node, kernel, padding == "SAME_UPPER");
    if (!pads.ok() && pads.error().code == ErrorCode::kUnsupported) return Translated::opaque(pads.error().message);
    if (!pads.ok()) return pads.error();
    attributes.set("pads", std::move(pads).value());
    attributes.set("auto_pad", std::string("NOTSET"));
  }
  // VALID is no padding, whatever `pads` says beside it.
  if (padding == "VALID" && attributes.has("pads")) {
    attributes.set("pads", std::vector<std::int64_t>(attributes.integers("pads").size(), 0));
  }
  return node.emit(op, node.values(), std::move(attributes));
}

Result<Translated> translate_gemm(NodeImport& node) {
  std::string unknown;
  Attributes attributes = node.attributes(Op::kGemm, unknown);
  if (!unknown.empty()) return unknown_attribute(unknown);
  return node.emit(Op::kGemm, node.values(), std::move(attributes));
}

}  // namespace fuselab::onnx
