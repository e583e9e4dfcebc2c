// SPDX-License-Identifier: Apache-2.0
// RotaryEmbedding as ONNX's own body of it has it: positions looked up, parts that do not turn, and both ways to pair.
#include <array>

#include "core/fusion/match/patterns.h"
#include "core/fusion/written_out/written_out.h"

namespace fuselab {
namespace {

using Nodes = std::vector<NodeId>;

// Follows what makes a value, one operator at a time, and notes which.
std::optional<NodeId> step_back(const GraphIndex& index, ValueId value, Op op, Nodes& nodes) {
  const auto maker = made_by(index, value, op);
  if (maker) nodes.push_back(*maker);
  return maker;
}

std::optional<NodeId> step_on(const GraphIndex& index, ValueId value, Op op, Nodes& nodes) {
  const auto reader = only_read_by(index, value, op);
  if (reader) nodes.push_back(*reader);
  return reader;
}

bool is_along_last(const GraphIndex& index, NodeId id) {
  const ValueId input = index.node(id).inputs.front();
  return axis_of(index, id, 0) + 1 == static_cast<std::int64_t>(index.type(input).shape.size());
}

bool swaps_the_middle(const GraphIndex& index, NodeId transpose) {
  return index.node(transpose).attributes.integers("perm") == std::vector<std::int64_t>{0, 2, 1, 3};
}

// The two parts of a value's last axis that turn into each other.
struct Pairs {
  ValueId whole{};
  bool interleaved = false;
  Nodes nodes;
};

std::optional<Pairs> pairs_of(const GraphIndex& index, ValueId first, ValueId second) {
  Pairs pairs;
  const auto maker = index.maker(first);
  if (!maker || index.type(first) != index.type(second)) return std::nullopt;
  const Node& node = index.node(*maker);
  pairs.whole = node.inputs.front();
  if (node.op == Op::kSplit) {
    if (node.outputs != std::vector{first, second} || !is_along_last(index, *maker)) return std::nullopt;
    pairs.nodes = {*maker};
    return pairs;
  }
  const auto other = made_by(index, second, Op::kSlice);
  if (node.op != Op::kSlice || !other || index.node(*other).inputs.front() != pairs.whole) return std::nullopt;
  const auto rank = index.type(pairs.whole).shape.size();
  const auto begins = [&](NodeId id, std::int64_t start) {
    const Attributes& attributes = index.node(id).attributes;
    return has_only_axis(index, id, static_cast<std::int64_t>(rank) - 1, rank) &&
           attributes.integers("starts") == std::vector<std::int64_t>{start} &&
           attributes.integers("steps") == std::vector<std::int64_t>{2};
  };
  const Dim &part = index.type(first).shape.back(), &all = index.type(pairs.whole).shape.back();
  const bool half = !part.is_symbol() && !all.is_symbol() && 2 * part.extent() == all.extent();
  if (!begins(*maker, 0) || !begins(*other, 1) || !half) return std::nullopt;
  pairs.interleaved = true;
  pairs.nodes = {*maker, *other};
  return pairs;
}

// A table of cosines or sines, and the positions that it is looked up at.
struct Table {
  ValueId values{};
  std::optional<ValueId> positions;
};

// A value behind this many nodes that only rename is taken for the table: all layers may share the nodes, and each layer would walk
// all of them.
constexpr std::size_t kMostRenames = 16;

std::optional<Table> table_of(const GraphIndex& index, ValueId factor, Nodes& nodes) {
  const auto added = step_back(index, factor, Op::kUnsqueeze, nodes);
  if (!added || !has_only_axis(index, *added, 2, 4)) return std::nullopt;
  Table table{index.node(*added).inputs.front(), {}};
  std::size_t steps = 0;
  for (auto maker = index.maker(table.values); maker && steps < kMostRenames; maker = index.maker(table.values), ++steps) {
    const Node& node = index.node(*maker);
    const bool renames =
        node.op == Op::kIdentity || (node.op == Op::kSlice && index.out_type(*maker) == index.type(node.inputs[0]) &&
                                     node.attributes.integers("steps", {1}) == std::vector<std::int64_t>{1});
    const bool looks_up = node.op == Op::kGather && axis_of(index, *maker, 0) == 0 && !table.positions;
    if (!renames && !looks_up) break;
    if (looks_up) table.positions = node.inputs[1];
    table.values = node.inputs[0];
    nodes.push_back(*maker);
  }
  return table;
}

// cos · first − sin · second, and sin · first + cos · second.
struct Turned {
  ValueId cosine{}, sine{}, real{}, imaginary{};
  Pairs pairs;
  Nodes nodes;  // those of the pairs among them
};

// The part is read by the two products alone; a factor may be from a table that every layer reads.
std::optional<NodeId> product_of(const GraphIndex& index, ValueId part, ValueId factor) {
  const auto readers = index.readers(part);
  if (readers.size() > 2) return std::nullopt;
  for (const NodeId reader : readers) {
    if (index.node(reader).op == Op::kMul && other_operand(index, reader, part) == factor) return reader;
  }
  return std::nullopt;
}

std::optional<Turned> turned_by(const GraphIndex& index, NodeId difference) {
  const auto& terms = index.node(difference).inputs;
  const auto left = made_by(index, terms[0], Op::kMul), right = made_by(index, terms[1], Op::kMul);
  if (!left || !right) return std::nullopt;
  const auto &a = index.node(*left).inputs, &b = index.node(*right).inputs;
  for (const auto& [cosine, first, sine, second] : {std::array{a[0], a[1], b[0], b[1]}, std::array{a[0], a[1], b[1], b[0]},
                                                    std::array{a[1], a[0], b[0], b[1]}, std::array{a[1], a[0], b[1], b[0]}}) {
    auto pairs = pairs_of(index, first, second);
    if (!pairs) continue;
    const auto across = product_of(index, first, sine), along = product_of(index, second, cosine);
    const auto sum = across ? only_read_by(index, output_of(index, *across), Op::kAdd) : std::nullopt;
    if (!sum || !along || other_operand(index, *sum, output_of(index, *across)) != output_of(index, *along)) return std::nullopt;
    Turned turned{cosine, sine, output_of(index, difference), output_of(index, *sum), *std::move(pairs), {}};
    turned.nodes = turned.pairs.nodes;
    for (const NodeId id : {difference, *left, *right, *across, *along, *sum}) turned.nodes.push_back(id);
    return turned;
  }
  return std::nullopt;
}

// Both parts as one value again, in the order in which they were taken.
std::optional<ValueId> joined(const GraphIndex& index, const Turned& turned, Nodes& nodes) {
  std::vector<ValueId> parts{turned.real, turned.imaginary};
  if (turned.pairs.interleaved) {
    const auto rank = static_cast<std::int64_t>(index.type(turned.real).shape.size());
    for (ValueId& part : parts) {
      const auto added = step_on(index, part, Op::kUnsqueeze, nodes);
      if (!added || !has_only_axis(index, *added, rank, static_cast<std::size_t>(rank) + 1)) return std::nullopt;
      part = output_of(index, *added);
    }
  }
  const auto together = step_on(index, parts.front(), Op::kConcat, nodes);
  if (!together || index.node(*together).inputs != parts || !is_along_last(index, *together)) return std::nullopt;
  if (!turned.pairs.interleaved) return output_of(index, *together);
  const auto view = step_on(index, output_of(index, *together), Op::kReshape, nodes);
  if (!view || index.out_type(*view) != index.type(turned.pairs.whole)) return std::nullopt;
  return output_of(index, *view);
}

// Past the part of each head that does not turn, where there is one.
struct Head {
  ValueId before{}, after{};
  std::int64_t turning = 0;  // 0: all of it
};

std::optional<Head> whole_head(const GraphIndex& index, ValueId turning, ValueId rotated, Nodes& nodes) {
  const auto split = made_by(index, turning, Op::kSplit);
  if (!split) return Head{turning, rotated, 0};
  const Node& node = index.node(*split);
  const Dim& extent = index.type(turning).shape.back();
  if (node.outputs.size() != 2 || node.outputs[0] != turning || !is_along_last(index, *split) || extent.is_symbol())
    return std::nullopt;
  nodes.push_back(*split);
  const auto together = step_on(index, rotated, Op::kConcat, nodes);
  if (!together || index.node(*together).inputs != std::vector{rotated, node.outputs[1]} || !is_along_last(index, *together))
    return std::nullopt;
  const bool all = index.type(node.outputs[1]).shape.back() == Dim(0);
  return Head{node.inputs.front(), output_of(index, *together), all ? 0 : extent.extent()};
}

}  // namespace

std::vector<WrittenOut> find_written_out_rotary(const GraphIndex& index, NodeId difference) {
  if (index.node(difference).op != Op::kSub) return {};
  const auto turned = turned_by(index, difference);
  if (!turned || index.type(turned->real).shape.size() != 4) return {};
  WrittenOut whole;
  whole.op = Op::kRotaryEmbedding;
  whole.nodes = turned->nodes;
  const auto cosine = table_of(index, turned->cosine, whole.nodes), sine = table_of(index, turned->sine, whole.nodes);
  const auto rotated = joined(index, *turned, whole.nodes);
  const auto head = rotated ? whole_head(index, turned->pairs.whole, *rotated, whole.nodes) : std::nullopt;
  if (!cosine || !sine || cosine->positions != sine->positions || !head) return {};
  if (turned->pairs.interleaved) whole.attributes.set("interleaved", std::int64_t{1});
  if (head->turning > 0) whole.attributes.set("rotary_embedding_dim", head->turning);
  ValueId after = head->after;
  while (const auto renamed = step_on(index, after, Op::kIdentity, whole.nodes)) after = output_of(index, *renamed);
  const auto maker = index.maker(head->before);
  if (!maker) return {};
  whole.nodes.push_back(*maker);
  const ValueId x = index.node(*maker).inputs.front();
  whole.inputs = {x, cosine->values, sine->values};
  if (cosine->positions) whole.inputs.push_back(*cosine->positions);
  const Shape& given = index.type(x).shape;
  const Shape& heads = index.type(head->before).shape;
  std::vector<WrittenOut> readings;
  if (index.node(*maker).op == Op::kTranspose && swaps_the_middle(index, *maker)) {
    const auto back = step_on(index, after, Op::kTranspose, whole.nodes);
    if (!back || !swaps_the_middle(index, *back)) return {};
    whole.result = output_of(index, *back);
    readings.push_back(whole);
  } else if (index.node(*maker).op == Op::kReshape && given.size() == 3 && heads[0] == given[0] && heads[1] == given[1] &&
             !heads[2].is_symbol()) {
    whole.attributes.set("num_heads", heads[2].extent());
    whole.result = after;
  } else {
    return {};
  }
  // The body ends in a Reshape to the shape that X has.
  if (const auto view = step_on(index, whole.result, Op::kReshape, whole.nodes); view && index.out_type(*view) == index.type(x)) {
    whole.result = output_of(index, *view);
    readings.insert(readings.begin(), whole);
  }
  return readings;
}

}  // namespace fuselab
