// SPDX-License-Identifier: Apache-2.0
#include "core/ops/infer.h"
#include "core/ops/op_row.h"

namespace fuselab::ops {
namespace {

using enum AccessPattern;
using enum AttributeKind;
using enum OperandRole;

// cos and sin hold one entry per rotated pair: half of rotary_embedding_dim, or of the whole head.
Status check_rotated_width(const Call& call) {
  const Dim& last = call.shape(0).back();
  const Dim& pairs = call.shape(1).back();
  if (last.is_symbol() || pairs.is_symbol()) return Status();
  const std::int64_t heads = call.rank() == 3 ? call.attributes.integer("num_heads", 1) : 1;
  if (last.extent() % heads != 0) return failure(call, "X's width is not a multiple of num_heads");
  const std::int64_t head = last.extent() / heads;
  const std::int64_t asked = call.attributes.integer("rotary_embedding_dim", 0);
  const std::int64_t rotated = asked == 0 ? head : asked;
  if (rotated < 0 || rotated > head || rotated % 2 != 0 || pairs.extent() != rotated / 2) {
    return failure(call, "cos and sin must be half as wide as the rotated part of a head, " + std::to_string(rotated));
  }
  return Status();
}

// X [B,H,S,D], or [B,S,H·D] with num_heads; cos and sin [B,S,R/2], or [positions,R/2] with position ids [B,S].
Result<Types> rotary(const Call& call) {
  FL_TRY_VOID(require_floating(call));
  if (call.rank() != 3 && call.rank() != 4) return failure(call, "X must have rank 3 or 4");
  if (call.dtype(1) != call.dtype() || call.dtype(2) != call.dtype())
    return failure(call, "X, cos and sin must have one element type");
  if (call.shape(1) != call.shape(2)) return failure(call, "cos and sin must have one shape");
  if (call.rank() == 3 && call.attributes.integer("num_heads", 0) < 1) return failure(call, "X of rank 3 needs num_heads");
  const bool by_position = call.inputs.size() == 4;
  if (call.rank(1) != (by_position ? 2 : 3))
    return failure(call, by_position ? "cos must be [positions,R/2]" : "cos must be [B,S,R/2]");
  FL_TRY_VOID(check_rotated_width(call));
  const Shape tokens = {call.shape(0)[0], call.shape(0)[call.rank() == 4 ? 2 : 1]};
  if (by_position) {
    if (call.dtype(3) != DType::kI64 && call.dtype(3) != DType::kI32) return failure(call, "position ids must be i32 or i64");
    if (call.shape(3) != tokens) return failure(call, "position ids must have the shape " + shape_text(tokens));
  } else if (!same(call.shape(1)[0], tokens[0]) || !same(call.shape(1)[1], tokens[1])) {
    return failure(call, "cos must begin with " + shape_text(tokens));
  }
  return Types{call.inputs[0]};
}

Schema rotary_embedding_attributes() {
  return {integer("interleaved", 0), integer("num_heads", 0), integer("rotary_embedding_dim", 0)};
}

}  // namespace

constexpr Family<Op::kRotaryEmbedding, Op::kTranspose> kPositions({
    // {name, access, least and most operands, FLOPs}, types, weight, attributes, FLOPs by formula, roles of operands
    {{Op::kRotaryEmbedding, "RotaryEmbedding", kSpatial, 3, 4, 3}, rotary, 16, rotary_embedding_attributes},
});

}  // namespace fuselab::ops
