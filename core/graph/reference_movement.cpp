// SPDX-License-Identifier: Apache-2.0
#include "core/graph/reference_movement.h"

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
  auto const perm = node.attributes.integers("perm", reversed);
  auto const own = strides_of(in);
  std::vector<std::int64_t> strides;
  for (std::int64_t const axis : perm) strides.push_back(own[static_cast<std::size_t>(axis)]);
  return [=](std::int64_t at) { return Source{0, restride(at, out, strides)}; };
}

SourceMap slice_map(const Node& node, const std::vector<std::int64_t>& in, const std::vector<std::int64_t>& out) {
  auto const starts = node.attributes.integers("starts");
  std::vector<std::int64_t> leading(starts.size());
  for (std::size_t i = 0; i < leading.size(); ++i) leading[i] = static_cast<std::int64_t>(i);
  auto const axes = node.attributes.integers("axes", leading);
  auto const steps = node.attributes.integers("steps", std::vector<std::int64_t>(starts.size(), 1));
  auto strides = strides_of(in);
  std::int64_t origin = 0;
  for (std::size_t i = 0; i < starts.size(); ++i) {
    std::size_t const axis = axis_of(axes[i], in.size());
    std::int64_t const from = starts[i] < 0 ? starts[i] + in[axis] : starts[i];
    origin += std::clamp<std::int64_t>(from, 0, std::max<std::int64_t>(steps[i] > 0 ? in[axis] : in[axis] - 1, 0)) * strides[axis];
    strides[axis] *= steps[i];
  }
  return [=](std::int64_t at) { return Source{0, origin + restride(at, out, strides)}; };
}

SourceMap split_map(const Graph& graph, const Node& node, std::size_t output_index) {
  auto const in = extents_of(graph.type(node.inputs[0]).shape);
  auto const out = extents_of(graph.type(node.outputs[output_index]).shape);
  std::size_t const axis = axis_of(node.attributes.integer("axis", 0), in.size());
  auto const strides = strides_of(in);
  std::int64_t origin = 0;
  for (std::size_t i = 0; i < output_index; ++i) origin += graph.type(node.outputs[i]).shape[axis].extent();
  origin *= strides[axis];
  return [=](std::int64_t at) { return Source{0, origin + restride(at, out, strides)}; };
}

SourceMap concat_map(const Graph& graph, const Node& node, const std::vector<std::int64_t>& out) {
  std::size_t const axis = axis_of(node.attributes.integer("axis", 0), out.size());
  std::int64_t const inner = product_of(std::span(out).subspan(axis + 1));
  std::int64_t const along = out[axis];
  std::vector<std::int64_t> begins, widths;
  std::int64_t begin = 0;
  for (ValueId const input : node.inputs) {
    begins.push_back(begin);
    widths.push_back(graph.type(input).shape[axis].extent());
    begin += widths.back();
  }
  return [=](std::int64_t at) {
    std::int64_t const position = at / inner % along;
    auto const after = std::upper_bound(begins.begin(), begins.end(), position);
    auto which = static_cast<std::size_t>(after - begins.begin()) - 1;
    std::int64_t const outer = at / inner / along;
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
  std::size_t const axis = axis_of(call.node.attributes.integer("axis", 0), data.size());
  return {call.input(1).count(), data[axis], product_of(std::span(data).subspan(axis + 1))};
}

Status gather(const NodeCall& call) {
  GatherShape const shape = gather_shape(call);
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
  Bounded const filled{call.node.attributes.real("value", 0), 0};
  call.needed.for_each(call.output.count(), [&](std::int64_t at) {
    Source const source = map(at);
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
  std::int64_t const asked = node.attributes.integer("rotary_embedding_dim", 0);
  shape.rotated = std::min({asked > 0 ? asked : shape.depth, shape.depth, 2 * cos.back()});
  return shape;
}

RotaryShape::Place RotaryShape::place_of(std::int64_t at) const {
  std::int64_t const d = at % depth;
  std::int64_t const vector = at / depth;
  std::int64_t const token = flat ? vector / heads % tokens : vector % tokens;
  std::int64_t const batch = vector / (heads * tokens);
  std::int64_t const row = batch * tokens + token;
  if (d >= rotated) return {row, at, -1, true};
  if (interleaved) return {row, d % 2 == 0 ? at + 1 : at - 1, d / 2, d % 2 == 0};
  std::int64_t const half = rotated / 2;
  return {row, d < half ? at + half : at - half, d % half, d < half};
}

Status evaluate_rotary(const NodeCall& call) {
  RotaryShape const shape = rotary_shape(call.node, call.input(0).extents, call.input(1).extents);
  std::int64_t const columns = call.input(1).extents.back();
  std::int64_t const positions = call.input(1).count() / std::max<std::int64_t>(columns, 1);
  Rounding const rounding = rounding_of(call.output.dtype);
  Status status;
  call.needed.for_each(call.output.count(), [&](std::int64_t at) {
    RotaryShape::Place const place = shape.place_of(at);
    Bounded const x = call.operand(0, at);
    if (place.angle < 0) return call.put_copy(at, x);
    auto const row = call.has_input(3) ? static_cast<std::int64_t>(call.input(3).at(place.row)) : place.row;
    if (row < 0 || row >= positions) {
      status = invalid_argument("RotaryEmbedding: position " + std::to_string(row) + " is outside of the " +
                                std::to_string(positions) + " rows of cos");
      return;
    }
    Bounded const y = call.operand(0, place.partner);
    Bounded const cos = call.operand(1, row * columns + place.angle), sin = call.operand(2, row * columns + place.angle);
    double const kept = x.v * cos.v;
    double const crossed = place.first ? -y.v * sin.v : y.v * sin.v;
    double const own = rounding.accumulate * (std::fabs(kept) + std::fabs(crossed));
    double const carried = std::fabs(cos.v) * x.e + std::fabs(x.v) * cos.e + std::fabs(sin.v) * y.e + std::fabs(y.v) * sin.e;
    call.put(rounding, at, {kept + crossed, own + carried});
  });
  return status;
}

}  // namespace fuselab::reference
