// SPDX-License-Identifier: Apache-2.0
#include "core/import/nodes/translate.h"
#include "onnx_subset.pb.h"

// Operators of which we take as attributes what ONNX gives as operands: the operands must be known.
namespace fuselab::onnx {
namespace {

// Pads of some axes as pads of all.
Result<std::vector<std::int64_t>> spread_pads(NodeImport& node, const std::vector<std::int64_t>& pads,
                                              const std::vector<std::int64_t>& axes) {
  const auto rank = static_cast<std::int64_t>(node.type(0).shape.size());
  if (pads.size() != 2 * axes.size()) return invalid_argument("its pads do not fit its axes");
  std::vector<std::int64_t> all(static_cast<std::size_t>(2 * rank), 0);
  for (std::size_t i = 0; i < axes.size(); ++i) {
    const std::int64_t axis = axes[i] < 0 ? axes[i] + rank : axes[i];
    if (axis < 0 || axis >= rank) {
      return invalid_argument("axis " + std::to_string(axes[i]) + " is outside rank " + std::to_string(rank));
    }
    all[static_cast<std::size_t>(axis)] = pads[i];
    all[static_cast<std::size_t>(axis + rank)] = pads[i + axes.size()];
  }
  return all;
}

// Returns what fills the border, which is an attribute before opset 11.
std::optional<double> filling(NodeImport& node) {
  if (node.has_input(2)) return node.known(2) != nullptr ? node.known(2)->scalar() : std::nullopt;
  const auto* value = node.attribute("value");
  return value != nullptr && value->has_f() ? static_cast<double>(value->f()) : 0.0;
}

}  // namespace

Result<Translated> translate_pad(NodeImport& node) {
  auto pads = node.has_input(1) ? node.integers(1) : node.integer_list(node.opset() < 2 ? "paddings" : "pads");
  if (!pads && node.has_input(1)) return Translated::opaque("its pads are computed");
  if (!pads) return invalid_argument("has no pads");
  if (node.has_input(3)) {
    const auto axes = node.integers(3);
    if (!axes) return Translated::opaque("its axes are computed");
    FL_TRY(pads, spread_pads(node, *pads, *axes));
  }
  Attributes attributes{{"pads", *pads}, {"mode", node.text("mode", "constant")}};
  if (attributes.text("mode", "") == "constant") {
    const auto value = filling(node);
    if (!value) return Translated::opaque("what fills its border is computed");
    attributes.set("value", *value);
  }
  return node.emit(Op::kPad, {node.value(0)}, attributes);
}

Result<Translated> translate_trilu(NodeImport& node) {
  std::int64_t diagonal = 0;
  if (node.has_input(1)) {
    const auto given = node.integers(1);
    if (!given) return Translated::opaque("its diagonal is computed");
    if (given->size() != 1) return invalid_argument("has " + std::to_string(given->size()) + " diagonals");
    diagonal = given->front();
  }
  return node.emit(Op::kTrilu, {node.value(0)}, {{"k", diagonal}, {"upper", node.integer("upper", 1)}});
}

Result<Translated> translate_cumsum(NodeImport& node) {
  const auto axis = node.integers(1);
  if (!axis) return Translated::opaque("its axis is computed");
  if (axis->size() != 1) return invalid_argument("has " + std::to_string(axis->size()) + " axes");
  return node.emit(Op::kCumSum, {node.value(0)},
                   {{"axis", axis->front()}, {"exclusive", node.integer("exclusive", 0)}, {"reverse", node.integer("reverse", 0)}});
}

// Both results, whatever is read of them. Before opset 10 its k was an attribute.
Result<Translated> translate_top_k(NodeImport& node) {
  if (node.opset() >= 10 && !node.has_input(1)) return invalid_argument("TopK lacks operand 1");
  const auto k = node.opset() < 10 ? std::vector<std::int64_t>{node.integer("k", 0)} : node.integers(1);
  if (!k) return Translated::opaque("its k is computed");
  if (k->size() != 1) return invalid_argument("its k is no single number");
  return node.emit(Op::kTopK, {node.value(0)},
                   {{"k", k->front()}, {"axis", node.integer("axis", -1)}, {"largest", node.integer("largest", 1)}});
}

}  // namespace fuselab::onnx
