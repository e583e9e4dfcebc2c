// SPDX-License-Identifier: Apache-2.0
#include "core/import/nodes/translate.h"

#include <algorithm>

#include "core/import/nodes/operators.h"
#include "core/import/reader/node_attributes.h"

namespace fuselab::onnx {
namespace {

// More would be more buffers than a generated kernel has arguments.
constexpr std::size_t kMostInAKernel = 1024;

// Checks that the operands that must be there are, and that none is left out in the middle where the operator has no optional ones.
Status check_operands(const NodeImport& node, const Operands& operands) {
  const auto op = is_standard(node.proto().domain()) ? parse_op(node.op()) : std::nullopt;
  const std::size_t needed = std::max(operands.least, op ? static_cast<std::size_t>(info_of(*op).min_inputs) : 0);
  for (std::size_t i = 0; i < std::max(needed, node.input_count()); ++i) {
    if (node.has_input(i) || (operands.has_gaps && i >= needed)) continue;
    return invalid_argument(node.op() + " lacks operand " + std::to_string(i));
  }
  return Status();
}

}  // namespace

Result<Translated> translate(NodeImport& node) {
  const OperatorRow* const row = row_of(node.proto());
  if (row == nullptr && !is_standard(node.proto().domain())) return Translated::opaque("its domain is not ONNX's own");
  if (node.opset() == 0) return Translated::opaque("the file declares no version of ONNX's own operators (opset_import)");
  if (row == nullptr) return Translated::opaque("the operator is not known");
  const std::size_t count = node.input_count();
  if (count > kMostInAKernel) return Translated::opaque("it has " + std::to_string(count) + " operands");
  FL_TRY_VOID(node.check_attribute_kinds());
  if (std::string because = attribute_beyond_onnx(node.proto(), node.opset(), row->attributes); !because.empty())
    return Translated::opaque(std::move(because));
  FL_TRY_VOID(check_operands(node, row->operands));
  if (count > row->operands.most) return Translated::opaque("it has " + std::to_string(count) + " operands");
  return row->translate(node);
}

}  // namespace fuselab::onnx
