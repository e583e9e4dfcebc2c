// SPDX-License-Identifier: Apache-2.0
#include "core/import/node_import.h"

// Operators of which we take as attributes what ONNX gives as operands: the operands must be known.
namespace fuselab::onnx {

Result<Translated> translate_cumsum(NodeImport& node) {
  const auto axis = node.integers(1);
  if (!axis) return Translated::opaque("its axis is computed");
  if (axis->size() != 1) return invalid_argument("has " + std::to_string(axis->size()) + " axes");
  return node.emit(Op::kCumSum, {node.value(0)},
                   {{"axis", axis->front()}, {"exclusive", node.integer("exclusive", 0)}, {"reverse", node.integer("reverse", 0)}});
}

}  // namespace fuselab::onnx
