// SPDX-License-Identifier: Apache-2.0
#include "core/tensor/index_range.h"

#include <functional>

namespace fuselab {
namespace {

std::int64_t extent_at(const TensorType& type, std::int64_t axis) {
  const auto rank = static_cast<std::int64_t>(type.shape.size());
  return type.shape.at(static_cast<std::size_t>(axis < 0 ? axis + rank : axis)).extent();
}

// An operator that reads a value as indices.
struct IndexReader {
  const Node& node;
  std::vector<IndexRange> ranges;
};

// What became of a value's numbers on their way: nothing, or they have other places.
enum class Way { kInPlace, kElsewhere, kEnds };

Way way_through(const Graph& graph, const Node& node) {
  if (is_view(node.op)) return Way::kInPlace;
  if (node.op == Op::kTranspose || node.op == Op::kExpand) return Way::kElsewhere;
  if (node.op != Op::kCast) return Way::kEnds;
  const DType from = graph.type(node.inputs.front()).dtype, to = graph.type(node.outputs.front()).dtype;
  const bool widens = (to == DType::kI64 || to == DType::kI32) && !is_floating(from) && bits_of(to) > bits_of(from);
  return to == from || widens ? Way::kInPlace : Way::kEnds;
}

// Tuples are not followed to other places: which column a number is in would not be known.
void for_each_reader(const Graph& graph, ValueId value, bool in_place, const std::function<void(const IndexReader&)>& visit) {
  for (const NodeId id : graph.consumers(value)) {
    const Node& node = graph.node(id);
    for (std::size_t i = 0; i < node.inputs.size(); ++i) {
      if (node.inputs[i] != value) continue;
      const auto ranges = index_ranges(graph, node, i);
      if (!ranges.empty() && (in_place || ranges.size() == 1)) visit({node, ranges});
      const Way way = i == 0 ? way_through(graph, node) : Way::kEnds;
      if (way != Way::kEnds) for_each_reader(graph, node.outputs.front(), in_place && way == Way::kInPlace, visit);
    }
  }
}

}  // namespace

std::vector<IndexRange> index_ranges(const Graph& graph, const Node& node, std::size_t position) {
  const auto entries = [&](std::size_t operand, std::int64_t axis) { return extent_at(graph.type(node.inputs[operand]), axis); };
  switch (node.op) {
    case Op::kGather:
    case Op::kGatherElements:
    case Op::kScatterElements:
      if (position != 1) return {};
      return {{entries(0, node.attributes.integer("axis", 0)), true}};
    case Op::kGatherND:
    case Op::kScatterND: {
      if (position != 1) return {};
      std::vector<IndexRange> columns;
      const std::int64_t first = node.attributes.integer("batch_dims", 0);
      for (std::int64_t i = 0; i < entries(1, -1); ++i) columns.push_back({entries(0, first + i), true});
      return columns;
    }
    case Op::kSoftmaxCrossEntropyLoss:
    case Op::kNegativeLogLikelihoodLoss: {
      if (position != 1) return {};
      IndexRange classes{entries(0, 1)};
      if (node.attributes.has("ignore_index")) classes.ignored = node.attributes.integer("ignore_index", 0);
      return {classes};
    }
    case Op::kRotaryEmbedding: return position == 3 ? std::vector<IndexRange>{{entries(1, 0)}} : std::vector<IndexRange>{};
    default: return {};
  }
}

std::optional<WrongIndex> find_wrong_index(const Graph& graph, ValueId value, const RealTensor& numbers) {
  std::optional<WrongIndex> found;
  for_each_reader(graph, value, true, [&](const IndexReader& reader) {
    if (found) return;
    for (std::size_t at = 0; at < numbers.data.size(); ++at) {
      const auto index = static_cast<std::int64_t>(numbers.data[at]);
      const IndexRange& range = reader.ranges[at % reader.ranges.size()];
      if (range.holds(index)) continue;
      if (found) {
        ++found->count;
      } else {
        found = WrongIndex{reader.node.op, range, index, static_cast<std::int64_t>(at)};
      }
    }
  });
  return found;
}

bool names_entries(const Graph& graph, ValueId value) {
  bool found = false;
  for_each_reader(graph, value, true, [&](const IndexReader&) { found = true; });
  return found;
}

std::string place_text(std::int64_t at, const TensorType& type) {
  std::string place;
  for (std::size_t axis = type.shape.size(); axis-- > 0; at /= type.shape[axis].extent())
    place = std::to_string(at % type.shape[axis].extent()) + (place.empty() ? "" : ",") + place;
  return place.empty() ? "" : "[" + place + "]";
}

std::string wrong_index_text(const WrongIndex& wrong, const TensorType& type) {
  const std::string place = place_text(wrong.at, type);
  return "index " + std::to_string(wrong.index) + (place.empty() ? "" : " at " + place) +
         " is out of range: " + std::string(name_of(wrong.op)) + " reads one of " + std::to_string(wrong.range.entries) +
         " entries, " + std::to_string(wrong.range.least()) + " to " + std::to_string(wrong.range.entries - 1);
}

}  // namespace fuselab
