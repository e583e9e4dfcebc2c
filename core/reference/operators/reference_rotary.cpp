// SPDX-License-Identifier: Apache-2.0
#include "core/reference/operators/operator_row.h"

namespace fuselab::reference {
namespace {

// Extents of a rotary embedding and the layout of its operands.
struct RotaryShape {
  std::int64_t tokens = 1, heads = 1, depth = 1, rotated = 1;
  bool flat = false;
  bool interleaved = false;

  struct Place {
    std::int64_t row;      // batch · tokens + t: the row of cos, sin or position ids
    std::int64_t partner;  // flat index of the element rotated with this one
    std::int64_t angle;    // column of cos and sin; -1: copied unrotated
    bool first;            // this element is the first of its pair
  };
  Place place_of(std::int64_t at) const;
};
RotaryShape rotary_shape(const Node& node, std::span<const std::int64_t> x, std::span<const std::int64_t> cos);

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

Status rotate(const NodeCall& call) {
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

std::vector<Needed> rotary_demand(const Ask& ask) {
  const RotaryShape shape = rotary_shape(ask.node, ask.extents(0), ask.extents(1));
  Positions wanted;
  for (const std::int64_t at : ask.positions) {
    wanted.push_back(at);
    wanted.push_back(shape.place_of(at).partner);
  }
  return first_input_demand(ask, std::move(wanted));
}

}  // namespace

constexpr Family<Op::kRotaryEmbedding, Op::kTranspose> kRotary({{Op::kRotaryEmbedding, rotate, rotary_demand}});

}  // namespace fuselab::reference
