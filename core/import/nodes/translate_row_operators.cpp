// SPDX-License-Identifier: Apache-2.0
// Operators along the rows of a tensor, losses included.
#include <algorithm>

#include "core/import/compositions/composition.h"
#include "core/import/nodes/operators.h"
#include "core/ops/op_attributes.h"
#include "onnx_subset.pb.h"

namespace fuselab::onnx {
namespace {

using Term = Composition::Term;

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

Result<Translated> translate_cross_entropy(NodeImport& node) {
  if (!node.uses_output(1)) return translate_direct(node);
  std::string unknown;
  Attributes attributes = node.attributes(Op::kSoftmaxCrossEntropyLoss, unknown);
  if (!unknown.empty()) return Translated::unknown_attribute(unknown);
  if (node.input_count() > 3) return Translated::opaque("it has " + std::to_string(node.input_count()) + " operands");
  Composition graph(node);
  const bool last = node.type(0).shape.size() == 2;
  const Term log = graph.apply(Op::kLogSoftmax, {graph.operand(0)}, {{"axis", std::int64_t{last ? -1 : 1}}});
  std::vector<Term> operands{log, graph.operand(1)};
  if (node.has_input(2)) operands.push_back(graph.operand(2));
  return graph.finish({graph.apply(Op::kNegativeLogLikelihoodLoss, operands, std::move(attributes)), log});
}

}  // namespace

Rows row_operator_rows() {
  static constexpr OperatorRow kRows[] = {
      {"Softmax", translate_softmax, "axis:i"},
      {"LogSoftmax", translate_softmax, "axis:i"},
      {"Hardmax", translate_softmax, "axis:i"},
      {"CumSum", translate_cumsum, "exclusive:i reverse:i"},
      {"TopK", translate_top_k, "axis:i k:i@1-9 largest:i@11- sorted:i@11-"},
      {"SoftmaxCrossEntropyLoss", translate_cross_entropy, "ignore_index:i reduction:s"},
      {"NegativeLogLikelihoodLoss", translate_direct, "ignore_index:i reduction:s"},
  };
  return kRows;
}

}  // namespace fuselab::onnx
