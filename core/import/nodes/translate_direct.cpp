// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "core/import/nodes/operators.h"

namespace fuselab::onnx {
namespace {

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

Result<Translated> translate_direct(NodeImport& node) {
  // Scatter is what ScatterElements was called before opset 11.
  const Op op = node.op() == "Scatter" ? Op::kScatterElements : *parse_op(node.op());
  std::string unknown;
  Attributes attributes = node.attributes(op, unknown);
  if (!unknown.empty()) return Translated::unknown_attribute(unknown);
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

}  // namespace fuselab::onnx
