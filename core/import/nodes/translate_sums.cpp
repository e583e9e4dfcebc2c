// SPDX-License-Identifier: Apache-2.0
#include "core/import/compositions/composition.h"
#include "core/import/nodes/composed_operators.h"

namespace fuselab::onnx {

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

}  // namespace fuselab::onnx
