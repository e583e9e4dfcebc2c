// SPDX-License-Identifier: Apache-2.0
#include "core/reference/operators/reference_movement.h"

namespace fuselab::reference {
namespace {

// Flat index by strides of another tensor's axes.
std::int64_t restride(std::int64_t flat, std::span<const std::int64_t> extents, std::span<const std::int64_t> strides) {
  std::int64_t index = 0;
  for (std::size_t i = extents.size(); i-- > 0;) {
    index += flat % extents[i] * strides[i];
    flat /= extents[i];
  }
  return index;
}

SourceMap transpose_map(const Movement& movement) {
  const auto& in = movement.in;
  std::vector<std::int64_t> reversed(in.size());
  for (std::size_t i = 0; i < in.size(); ++i) reversed[i] = static_cast<std::int64_t>(in.size() - 1 - i);
  const auto perm = movement.node.attributes.integers("perm", reversed);
  const auto own = strides_of(in);
  std::vector<std::int64_t> strides;
  for (const std::int64_t axis : perm) strides.push_back(own[static_cast<std::size_t>(axis)]);
  return [=, out = movement.out](std::int64_t at) { return Source{0, restride(at, out, strides)}; };
}

SourceMap slice_map(const Movement& movement) {
  const Node& node = movement.node;
  const auto& in = movement.in;
  const auto starts = node.attributes.integers("starts");
  std::vector<std::int64_t> leading(starts.size());
  for (std::size_t i = 0; i < leading.size(); ++i) leading[i] = static_cast<std::int64_t>(i);
  const auto axes = node.attributes.integers("axes", leading);
  const auto steps = node.attributes.integers("steps", std::vector<std::int64_t>(starts.size(), 1));
  auto strides = strides_of(in);
  std::int64_t origin = 0;
  for (std::size_t i = 0; i < starts.size(); ++i) {
    const std::size_t axis = axis_of(axes[i], in.size());
    const std::int64_t from = starts[i] < 0 ? starts[i] + in[axis] : starts[i];
    origin += std::clamp<std::int64_t>(from, 0, std::max<std::int64_t>(steps[i] > 0 ? in[axis] : in[axis] - 1, 0)) * strides[axis];
    strides[axis] *= steps[i];
  }
  return [=, out = movement.out](std::int64_t at) { return Source{0, origin + restride(at, out, strides)}; };
}

SourceMap split_map(const Movement& movement) {
  const Graph& graph = movement.graph;
  const Node& node = movement.node;
  const auto& in = movement.in;
  const std::size_t axis = axis_of(node.attributes.integer("axis", 0), in.size());
  const auto strides = strides_of(in);
  std::int64_t origin = 0;
  for (std::size_t i = 0; i < movement.output_index; ++i) origin += graph.type(node.outputs[i]).shape[axis].extent();
  origin *= strides[axis];
  return [=, out = movement.out](std::int64_t at) { return Source{0, origin + restride(at, out, strides)}; };
}

SourceMap concat_map(const Movement& movement) {
  const Graph& graph = movement.graph;
  const Node& node = movement.node;
  const auto& out = movement.out;
  const std::size_t axis = axis_of(node.attributes.integer("axis", 0), out.size());
  const std::int64_t inner = product_of(std::span(out).subspan(axis + 1));
  const std::int64_t along = out[axis];
  std::vector<std::int64_t> begins, widths;
  std::int64_t begin = 0;
  for (const ValueId input : node.inputs) {
    begins.push_back(begin);
    widths.push_back(graph.type(input).shape[axis].extent());
    begin += widths.back();
  }
  return [=](std::int64_t at) {
    const std::int64_t position = at / inner % along;
    const auto after = std::upper_bound(begins.begin(), begins.end(), position);
    auto which = static_cast<std::size_t>(after - begins.begin()) - 1;
    const std::int64_t outer = at / inner / along;
    return Source{which, (outer * widths[which] + position - begins[which]) * inner + at % inner};
  };
}

// The data element of a Gather, given the value of its index.
struct GatherShape {
  std::int64_t indices, along, inner;
  std::int64_t index_at(std::int64_t at) const { return at / inner % indices; }
  std::int64_t data_at(std::int64_t at, std::int64_t index) const {
    return (at / inner / indices * along + index) * inner + at % inner;
  }
};

GatherShape gather_shape(const NodeCall& call) {
  const auto& data = call.input(0).extents;
  const std::size_t axis = axis_of(call.node.attributes.integer("axis", 0), data.size());
  return {call.input(1).count(), data[axis], product_of(std::span(data).subspan(axis + 1))};
}

Status gather(const NodeCall& call) {
  const GatherShape shape = gather_shape(call);
  std::int64_t wrong = -1;
  call.needed.for_each(call.output.count(), [&](std::int64_t at) {
    auto index = static_cast<std::int64_t>(call.input(1).at(shape.index_at(at)));
    if (index < 0) index += shape.along;
    if (index < 0 || index >= shape.along) {
      wrong = shape.index_at(at);
      return;
    }
    call.put_copy(at, call.operand(0, shape.data_at(at, index)));
  });
  if (wrong < 0) return {};
  return invalid_argument("Gather: index " + std::to_string(static_cast<std::int64_t>(call.input(1).at(wrong))) + " at " +
                          std::to_string(wrong) + " is outside of the " + std::to_string(shape.along) + " entries");
}

template <typename Map>
void copy_by(const NodeCall& call, const Map& map) {
  const Bounded filled{call.node.attributes.real("value", 0), 0};
  call.needed.for_each(call.output.count(), [&](std::int64_t at) {
    const Source source = map(at);
    call.put_copy(at, source.exists() ? call.operand(source.input, source.at) : filled);
  });
}

SourceMap expand_map(const Movement& movement) {
  return [index = BroadcastIndex(movement.out, movement.in)](std::int64_t at) { return Source{0, index(at)}; };
}

Status copy_in_place(const NodeCall& call) {
  copy_by(call, [](std::int64_t at) { return Source{0, at}; });
  return {};
}

Status copy_from_sources(const NodeCall& call) {
  copy_by(call, source_map(call.graph, call.node, call.output_index));
  return {};
}

constexpr OperatorRow view(Op op) {
  return {op, copy_in_place, moved_demand};
}

constexpr OperatorRow moving(Op op, SourceMap (*source)(const Movement&)) {
  return {op, copy_from_sources, moved_demand, nullptr, source};
}

}  // namespace

SourceMap source_map(const Graph& graph, const Node& node, std::size_t output_index) {
  const auto source = row_of(node.op).source;
  if (source == nullptr) return [](std::int64_t at) { return Source{0, at}; };
  return source({graph, node, output_index, extents_of(graph.type(node.inputs[0]).shape),
                 extents_of(graph.type(node.outputs[output_index]).shape)});
}

constexpr Family<Op::kTranspose, Op::kGatherElements> kMovements({
    moving(Op::kTranspose, transpose_map),
    view(Op::kReshape),
    view(Op::kFlatten),
    view(Op::kUnsqueeze),
    view(Op::kSqueeze),
    moving(Op::kExpand, expand_map),
    moving(Op::kConcat, concat_map),
    moving(Op::kSlice, slice_map),
    moving(Op::kSplit, split_map),
    {Op::kGather, gather},  // what it reads is known only once its indices are
    moving(Op::kTrilu, trilu_map),
    moving(Op::kPad, pad_map),
});

}  // namespace fuselab::reference
