// SPDX-License-Identifier: Apache-2.0
// Operators whose operands say which elements are read or written.
#include <algorithm>

#include "core/import/compositions/positions.h"
#include "core/import/constants/known_generate.h"
#include "core/import/nodes/operators.h"

namespace fuselab::onnx {
namespace {

using Term = Composition::Term;

// Indices that the file gives must be places of its data.
Status check_indices(NodeImport& node, std::int64_t axis) {
  const KnownTensor* indices = node.known(1);
  const auto places = indices != nullptr ? indices->plain_integers() : std::nullopt;
  const Shape& shape = node.type(0).shape;
  const auto rank = static_cast<std::int64_t>(shape.size());
  if (!places || axis < -rank || axis >= rank) return Status();
  const Dim& dim = shape[static_cast<std::size_t>(axis < 0 ? axis + rank : axis)];
  if (dim.is_symbol()) return Status();
  for (std::int64_t place : *places) {
    if (place >= -dim.extent() && place < dim.extent()) continue;
    return invalid_argument("gathers index " + std::to_string(place) + " of an axis with " + dim.text() + " elements");
  }
  return Status();
}

Result<Translated> translate_gather(NodeImport& node) {
  const std::int64_t axis = node.integer("axis", 0);
  FL_TRY_VOID(check_indices(node, axis));
  if ((axis == 0 || axis == -1) && node.known(0) != nullptr && node.known(1) != nullptr) {
    Translated folded;
    if ((folded.known = fold_gather(*node.known(0), *node.known(1)))) return folded;
  }
  return node.emit(Op::kGather, {node.value(0), node.value(1)}, {{"axis", axis}});
}

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

}  // namespace

Rows indexed_rows() {
  static constexpr OperatorRow kRows[] = {
      {"Gather", translate_gather, "axis:i"},
      {"GatherElements", translate_direct, "axis:i"},
      {"GatherND", translate_direct, "batch_dims:i@12-"},
      {"Scatter", translate_direct, "axis:i"},
      {"ScatterElements", translate_direct, "axis:i reduction:s@16-"},
      {"ScatterND", translate_direct, "reduction:s@16-"},
      {"OneHot", translate_one_hot, "axis:i", Operands::exactly(3)},
      {"TensorScatter", translate_tensor_scatter, "axis:i mode:s", Operands::between(2, 3)},
  };
  return kRows;
}

}  // namespace fuselab::onnx
