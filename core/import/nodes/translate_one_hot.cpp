// SPDX-License-Identifier: Apache-2.0
// OneHot: its numbers where indices and values are known, else each place along the new axis compared with the index there.
#include "core/import/compositions/positions.h"
#include "core/import/constants/known_generate.h"
#include "core/import/nodes/composed_operators.h"

namespace fuselab::onnx {
namespace {

using Term = Composition::Term;

// The second of the two values where an index is, the first elsewhere.
Term value_at(NodeImport& node, Composition& graph, std::int64_t place) {
  const KnownTensor* const known = node.known(2);
  if (known != nullptr && known->reals.size() == 2)
    return graph.number(known->reals[static_cast<std::size_t>(place)], known->dtype);
  return graph.apply(Op::kSlice, {graph.operand(2)},
                     {{"starts", std::vector<std::int64_t>{place}},
                      {"ends", std::vector<std::int64_t>{place + 1}},
                      {"axes", std::vector<std::int64_t>{0}}});
}

// Indices below zero count from the end; those that are still outside hit nothing.
Result<Translated> compare_with_positions(NodeImport& node, std::int64_t depth, std::size_t axis, TensorType result) {
  const std::size_t rank = result.shape.size();
  Composition graph(node, std::move(result));
  Term index = graph.operand(0);
  if (node.type(0).dtype != DType::kI64) index = graph.apply(Op::kCast, {index}, {{"to", std::string(name_of(DType::kI64))}});
  index = graph.unsqueeze(index, {static_cast<std::int64_t>(axis)});
  const Term is_negative = graph.apply(Op::kLess, {index, graph.number(0, DType::kI64)});
  const Term from_the_end = graph.apply(Op::kAdd, {index, graph.number(static_cast<double>(depth), DType::kI64)});
  const Term place = graph.apply(Op::kWhere, {is_negative, from_the_end, index});
  const Term hit = graph.apply(Op::kEqual, {place, positions_along(graph, depth, axis, rank)});
  return graph.finish(graph.apply(Op::kWhere, {hit, value_at(node, graph, 1), value_at(node, graph, 0)}));
}

}  // namespace

Result<Translated> translate_one_hot(NodeImport& node) {
  const bool depth_known = node.known(1) != nullptr && node.known(1)->scalar();
  const double depth = depth_known ? node.known(1)->scalar().value_or(0) : 0;
  if (node.type(2).shape != Shape{2}) return invalid_argument("needs the two numbers for elsewhere and for an index");
  if (!depth_known) return Translated::opaque("its depth is computed");
  const auto rank = static_cast<std::int64_t>(node.type(0).shape.size());
  const std::int64_t axis = node.integer("axis", -1);
  const bool counts = depth >= 1 && depth < 0x1.0p53;
  if (!counts || axis < -rank - 1 || axis > rank) return invalid_argument("its depth or its axis does not fit its indices");
  if (node.type(0).shape.size() >= kMaxRank) return invalid_argument("makes more than 8 dimensions");
  const auto extent = static_cast<std::int64_t>(depth);
  Shape shape = node.type(0).shape;
  shape.insert(shape.begin() + (axis < 0 ? axis + rank + 1 : axis), Dim(extent));
  if (node.known(0) != nullptr && node.known(2) != nullptr) {
    Translated translated;
    translated.known = generate_one_hot(*node.known(0), extent, *node.known(2), axis);
    if (translated.known) return translated;
  }
  return compare_with_positions(node, extent, static_cast<std::size_t>(axis < 0 ? axis + rank + 1 : axis),
                                {node.type(2).dtype, std::move(shape)});
}

}  // namespace fuselab::onnx
