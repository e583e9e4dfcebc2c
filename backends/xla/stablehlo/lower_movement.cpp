// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>

#include "backends/xla/stablehlo/lowering.h"
#include "core/extents/strides.h"
#include "core/graph/node_axes.h"

namespace fuselab::xla {
namespace {

Extents reversed_axes(std::int64_t rank) {
  const Extents axes = axes_from(0, rank);
  return {axes.rbegin(), axes.rend()};
}

HloResults slice(const HloCall& call) {
  const HloValue& x = call.in[0];
  const Extents results = call.extents();
  Extents starts(x.extents.size(), 0), limits = x.extents, strides(x.extents.size(), 1);
  for (const SlicedAxis& each : sliced_axes(call.graph, call.node)) {
    if (each.step < 0) return unwritten(call, "goes backwards");
    starts[each.axis] = each.start;
    limits[each.axis] = results[each.axis] == 0 ? each.start : each.start + (results[each.axis] - 1) * each.step + 1;
    strides[each.axis] = each.step;
  }
  return std::vector{call.out.slice(x, starts, limits, strides)};
}

HloResults split(const HloCall& call) {
  const HloValue& x = call.in[0];
  const auto axis = static_cast<std::size_t>(call.axis_attribute(0));
  std::vector<HloValue> parts;
  std::int64_t at = 0;
  for (std::size_t part = 0; part < call.node.outputs.size(); ++part) {
    Extents starts(x.extents.size(), 0), limits = x.extents;
    starts[axis] = at;
    at += call.extents(part)[axis];
    limits[axis] = at;
    parts.push_back(call.out.slice(x, starts, limits, Extents(x.extents.size(), 1)));
  }
  return parts;
}

HloValue from_the_front(HloBuilder& out, const HloValue& indices, std::int64_t extent) {
  const HloValue negative = out.compare("LT", indices, out.constant(0, indices.dtype, indices.extents));
  return out.select(negative, out.with("add", indices, static_cast<double>(extent)), indices);
}

HloResults gather(const HloCall& call) {
  HloBuilder& out = call.out;
  const HloValue& x = call.in[0];
  const std::int64_t axis = call.axis_attribute(0);
  const HloValue indices = from_the_front(out, call.in[1], x.extents[static_cast<std::size_t>(axis)]);
  Extents offsets, sizes = x.extents;
  for (std::int64_t i = 0; i < axis; ++i) offsets.push_back(i);
  for (std::int64_t i = axis + 1; i < x.rank(); ++i) offsets.push_back(i - 1 + indices.rank());
  sizes[static_cast<std::size_t>(axis)] = 1;
  const std::string text = "\"stablehlo.gather\"(" + x.name + ", " + indices.name +
                           ") {dimension_numbers = #stablehlo.gather<offset_dims = " + number_list(offsets) +
                           ", collapsed_slice_dims = [" + std::to_string(axis) + "], start_index_map = [" + std::to_string(axis) +
                           "], index_vector_dim = " + std::to_string(indices.rank()) + ">, slice_sizes = " + number_array(sizes) +
                           ", indices_are_sorted = false}";
  return std::vector{out.append(text, std::array{x, indices}, x.dtype, call.extents())};
}

HloResults trilu(const HloCall& call) {
  HloBuilder& out = call.out;
  const HloValue& x = call.in[0];
  const HloValue row =
      out.with("add", out.iota(DType::kI64, x.extents, x.rank() - 2), static_cast<double>(call.node.attributes.integer("k", 0)));
  const HloValue column = out.iota(DType::kI64, x.extents, x.rank() - 1);
  const char* const kept = call.node.attributes.integer("upper", 1) != 0 ? "GE" : "LE";
  return std::vector{out.select(out.compare(kept, column, row), x, out.constant(0, x.dtype, x.extents))};
}

// ONNX RotaryEmbedding with halves: [x1·cos - x2·sin, x1·sin + x2·cos, rest].
HloResults rotary(const HloCall& call) {
  HloBuilder& out = call.out;
  const Attributes& attributes = call.node.attributes;
  if (attributes.integer("interleaved", 0) != 0) return unwritten(call, "is interleaved");
  HloValue x = call.in[0];
  const bool flat = x.rank() == 3;
  const std::int64_t heads = std::max<std::int64_t>(attributes.integer("num_heads", 1), 1);
  x = by_heads(out, x, heads);
  const std::int64_t depth = x.extents[3], columns = call.in[1].extents.back();
  const std::int64_t asked = attributes.integer("rotary_embedding_dim", 0);
  const std::int64_t rotated = std::min({asked > 0 ? asked : depth, depth, 2 * columns});
  if (rotated / 2 != columns) return unwritten(call, "rotates less than its tables have");
  if (call.has(3)) return unwritten(call, "takes positions");
  const auto table = [&](const HloValue& angles) {
    const Extents extents = {x.extents[0], x.extents[1], x.extents[2], columns};
    return out.broadcast_in(out.reshape(angles, {x.extents[0], x.extents[2], columns}), extents, {0, 2, 3});
  };
  const auto part = [&](std::int64_t from, std::int64_t to) {
    return out.slice(x, {0, 0, 0, from}, {x.extents[0], x.extents[1], x.extents[2], to}, {1, 1, 1, 1});
  };
  if (product_of(call.in[1].extents) != x.extents[0] * x.extents[2] * columns) return unwritten(call, "shares its tables");
  const HloValue cos = table(call.in[1]), sin = table(call.in[2]);
  const HloValue first = part(0, columns), second = part(columns, 2 * columns);
  std::vector<HloValue> parts = {out.binary("subtract", out.binary("multiply", first, cos), out.binary("multiply", second, sin)),
                                 out.binary("add", out.binary("multiply", first, sin), out.binary("multiply", second, cos))};
  if (rotated < depth) parts.push_back(part(rotated, depth));
  HloValue y = out.concatenate(parts, 3);
  if (flat) y = out.transpose(y, {0, 2, 1, 3});
  return std::vector{out.reshape(y, call.extents())};
}

}  // namespace

HloResults lower_movement(const HloCall& call) {
  HloBuilder& out = call.out;
  const HloValue& x = call.in[0];
  switch (call.node.op) {
    case Op::kReshape:
    case Op::kFlatten:
    case Op::kUnsqueeze:
    case Op::kSqueeze: return std::vector{out.reshape(x, call.extents())};
    case Op::kTranspose: return std::vector{out.transpose(x, call.list("perm", reversed_axes(x.rank())))};
    case Op::kExpand: return std::vector{out.broadcast(x, call.extents())};
    case Op::kConcat: return std::vector{out.concatenate(call.in, call.axis_attribute(0))};
    case Op::kSlice: return slice(call);
    case Op::kSplit: return split(call);
    case Op::kGather: return gather(call);
    case Op::kTrilu: return trilu(call);
    case Op::kRotaryEmbedding: return rotary(call);
    default: return unwritten(call, "has no writer");
  }
}

}  // namespace fuselab::xla
