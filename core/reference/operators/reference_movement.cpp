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

SourceMap transpose_map(const Node& node, const std::vector<std::int64_t>& in, const std::vector<std::int64_t>& out) {
  std::vector<std::int64_t> reversed(in.size());
  for (std::size_t i = 0; i < in.size(); ++i) reversed[i] = static_cast<std::int64_t>(in.size() - 1 - i);
  const auto perm = node.attributes.integers("perm", reversed);
  const auto own = strides_of(in);
  std::vector<std::int64_t> strides;
  for (const std::int64_t axis : perm) strides.push_back(own[static_cast<std::size_t>(axis)]);
  return [=](std::int64_t at) { return Source{0, restride(at, out, strides)}; };
}

SourceMap slice_map(const Node& node, const std::vector<std::int64_t>& in, const std::vector<std::int64_t>& out) {
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
  return [=](std::int64_t at) { return Source{0, origin + restride(at, out, strides)}; };
}

SourceMap split_map(const Graph& graph, const Node& node, std::size_t output_index) {
  const auto in = extents_of(graph.type(node.inputs[0]).shape);
  const auto out = extents_of(graph.type(node.outputs[output_index]).shape);
  const std::size_t axis = axis_of(node.attributes.integer("axis", 0), in.size());
  const auto strides = strides_of(in);
  std::int64_t origin = 0;
  for (std::size_t i = 0; i < output_index; ++i) origin += graph.type(node.outputs[i]).shape[axis].extent();
  origin *= strides[axis];
  return [=](std::int64_t at) { return Source{0, origin + restride(at, out, strides)}; };
}

SourceMap concat_map(const Graph& graph, const Node& node, const std::vector<std::int64_t>& out) {
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

SourceMap map_of(const Graph* graph, const Node& node, std::size_t output_index, const std::vector<std::int64_t>& in,
                 const std::vector<std::int64_t>& out) {
  switch (node.op) {
    case Op::kTranspose: return transpose_map(node, in, out);
    case Op::kSlice: return slice_map(node, in, out);
    case Op::kSplit: return split_map(*graph, node, output_index);
    case Op::kConcat: return concat_map(*graph, node, out);
    case Op::kPad: return pad_map(node, in, out);
    case Op::kTrilu: return trilu_map(node, in);
    case Op::kExpand: return [index = BroadcastIndex(out, in)](std::int64_t at) { return Source{0, index(at)}; };
    default: return [](std::int64_t at) { return Source{0, at}; };  // views
  }
}

}  // namespace

SourceMap source_map(const Graph& graph, const Node& node, std::size_t output_index) {
  return map_of(&graph, node, output_index, extents_of(graph.type(node.inputs[0]).shape),
                extents_of(graph.type(node.outputs[output_index]).shape));
}

Status evaluate_movement(const NodeCall& call) {
  if (call.node.op == Op::kGather) return gather(call);
  if (is_view(call.node.op)) {
    copy_by(call, [](std::int64_t at) { return Source{0, at}; });
  } else {
    copy_by(call, source_map(call.graph, call.node, call.output_index));
  }
  return {};
}

RotaryShape rotary_shape(const Node& node, std::span<const std::int64_t> x, std::span<const std::int64_t> cos) {
  RotaryShape shape;
  shape.flat = x.size() == 3;
  shape.interleaved = node.attributes.integer("interleaved", 0) != 0;
  shape.heads = shape.flat ? std::max<std::int64_t>(node.attributes.integer("num_heads", 1), 1) : x[1];
  shape.tokens = shape.flat ? x[1] : x[2];
  shape.depth = shape.flat ? x[2] / shape.heads : x[3];
  const std::int64_t asked = node.attributes.integer("rotary_embedding_dim", 0);
  shape.rotated = std::min({asked > 0 ? asked : shape.depth, shape.depth, 2 * cos.back()});
  return shape;
}

RotaryShape::Place RotaryShape::place_of(std::int64_t at) const {
  const std::int64_t d = at % depth;
  const std::int64_t vector = at / depth;
  const std::int64_t token = flat ? vector / heads % tokens : vector % tokens;
  const std::int64_t batch = vector / (heads * tokens);
  const std::int64_t row = batch * tokens + token;
  if (d >= rotated) return {row, at, -1, true};
  if (interleaved) return {row, d % 2 == 0 ? at + 1 : at - 1, d / 2, d % 2 == 0};
  const std::int64_t half = rotated / 2;
  return {row, d < half ? at + half : at - half, d % half, d < half};
}

Status evaluate_rotary(const NodeCall& call) {
  const RotaryShape shape = rotary_shape(call.node, call.input(0).extents, call.input(1).extents);
  const std::int64_t columns = call.input(1).extents.back();
  const std::int64_t positions = call.input(1).count() / std::max<std::int64_t>(columns, 1);
  const Rounding rounding = rounding_of(call.output.dtype);
  Status status;
  call.needed.for_each(call.output.count(), [&](std::int64_t at) {
    const RotaryShape::Place place = shape.place_of(at);
    const Bounded x = call.operand(0, at);
    if (place.angle < 0) return call.put_copy(at, x);
    const auto row = call.has_input(3) ? static_cast<std::int64_t>(call.input(3).at(place.row)) : place.row;
    if (row < 0 || row >= positions) {
      status = invalid_argument("RotaryEmbedding: position " + std::to_string(row) + " is outside of the " +
                                std::to_string(positions) + " rows of cos");
      return;
    }
    const Bounded y = call.operand(0, place.partner);
    const Bounded cos = call.operand(1, row * columns + place.angle), sin = call.operand(2, row * columns + place.angle);
    const double kept = x.v * cos.v;
    const double crossed = place.first ? -y.v * sin.v : y.v * sin.v;
    const double own = rounding.accumulate * (std::fabs(kept) + std::fabs(crossed));
    const double carried = std::fabs(cos.v) * x.e + std::fabs(x.v) * cos.e + std::fabs(sin.v) * y.e + std::fabs(y.v) * sin.e;
    call.put(rounding, at, {kept + crossed, own + carried});
  });
  return status;
}

}  // namespace fuselab::reference
