// SPDX-License-Identifier: Apache-2.0
// TensorScatter (operator set 24): a cache of keys or values with new ones written at each batch's own position. Every element of
// the result looks whether one of the new ones fell on it: nothing is written twice, so the order does not matter.
#include "core/import/compositions/positions.h"
#include "core/import/nodes/composed_operators.h"

namespace fuselab::onnx {
namespace {

using Term = Composition::Term;

Status check(NodeImport& node, std::int64_t axis, const std::string& mode) {
  const Shape& cache = node.type(0).shape;
  const Shape& update = node.type(1).shape;
  const auto rank = static_cast<std::int64_t>(cache.size());
  if (mode != "linear" && mode != "circular")
    return invalid_argument("its mode is " + shown(mode) + ": there are linear and circular");
  if (axis < 1 || axis >= rank)
    return invalid_argument("writes along axis " + std::to_string(axis) + " of " + type_text(node.type(0)));
  bool fits = update.size() == cache.size() && node.type(1).dtype == node.type(0).dtype;
  for (std::size_t i = 0; fits && i < cache.size(); ++i)
    fits = static_cast<std::int64_t>(i) == axis || cache[i] == update[i] || cache[i].is_symbol() || update[i].is_symbol();
  if (!fits) return invalid_argument("writes " + type_text(node.type(1)) + " into " + type_text(node.type(0)));
  if (!node.has_input(2)) return {};
  const TensorType& where = node.type(2);
  const bool one_each =
      where.shape.size() == 1 && (where.shape[0] == cache[0] || where.shape[0].is_symbol() || cache[0].is_symbol());
  if (where.dtype != DType::kI64 || !one_each) return invalid_argument("is told where to write by " + type_text(where));
  return {};
}

}  // namespace

Result<Translated> translate_tensor_scatter(NodeImport& node) {
  const Shape& cache = node.type(0).shape;
  const Shape& update = node.type(1).shape;
  const auto rank = static_cast<std::int64_t>(cache.size());
  std::int64_t axis = node.integer("axis", -2);
  axis += axis < 0 ? rank : 0;
  const std::string mode = node.text("mode", "linear");
  FL_TRY_VOID(check(node, axis, mode));
  Composition graph(node, node.type(0));
  const auto along = static_cast<std::size_t>(axis);
  if (!is_concrete(cache) || !is_concrete(update)) {
    graph.fail("its extents are not known");
    return graph.finish(graph.operand(0));
  }
  const std::int64_t length = cache[along].extent();
  const std::int64_t written = update[along].extent();
  if (written > length)
    return invalid_argument("writes " + std::to_string(written) + " entries into a cache of " + std::to_string(length));
  const auto number = [&](std::int64_t value) { return graph.number(static_cast<double>(value), DType::kI64); };
  Term from = positions_along(graph, length, along, cache.size());
  if (node.has_input(2)) {
    std::vector<std::int64_t> others;
    for (std::int64_t i = 1; i < rank; ++i) others.push_back(i);
    from = graph.apply(Op::kSub, {from, graph.unsqueeze(graph.operand(2), others)});
  }
  if (mode == "circular") from = graph.apply(Op::kMod, {from, number(length)});
  const Term not_before = graph.apply(Op::kGreaterOrEqual, {from, number(0)});
  const Term is_written = graph.apply(Op::kAnd, {not_before, graph.apply(Op::kLess, {from, number(written)})});
  const Term index = graph.apply(Op::kWhere, {is_written, from, number(0)});
  const Term everywhere = graph.apply(Op::kExpand, {index}, {{"shape", extents_of(cache)}});
  const Term news = graph.apply(Op::kGatherElements, {graph.operand(1), everywhere}, {{"axis", axis}});
  return graph.finish(graph.apply(Op::kWhere, {is_written, news, graph.operand(0)}));
}

}  // namespace fuselab::onnx
