// SPDX-License-Identifier: Apache-2.0
#include "core/graph/infer.h"
#include "core/graph/infer_rules.h"

namespace fuselab::infer {
namespace {

Error inner_mismatch(const Call& call, const Dim& left, const Dim& right) {
  return failure(call, "the inner extents differ: " + left.text() + " against " + right.text());
}

// numpy.matmul: a vector gains an axis that the result loses again.
Result<Types> matmul(const Call& call) {
  FL_TRY_VOID(require_same_dtype(call));
  Shape a = call.shape(0);
  Shape b = call.shape(1);
  if (a.empty() || b.empty()) return failure(call, "needs operands of rank 1 or more");
  const bool vector_a = a.size() == 1;
  const bool vector_b = b.size() == 1;
  if (vector_a) a.insert(a.begin(), Dim(1));
  if (vector_b) b.emplace_back(1);
  if (!same(a.back(), b[b.size() - 2])) return inner_mismatch(call, a.back(), b[b.size() - 2]);
  auto batch = broadcast_shapes(Shape(a.begin(), a.end() - 2), Shape(b.begin(), b.end() - 2));
  if (!batch.ok()) return failure(call, "batch " + batch.error().message);
  Shape shape = std::move(batch).value();
  if (!vector_a) shape.push_back(a[a.size() - 2]);
  if (!vector_b) shape.push_back(b.back());
  return Types{{call.dtype(), std::move(shape)}};
}

Result<Types> gemm(const Call& call) {
  FL_TRY_VOID(require_same_dtype(call));
  if (call.rank(0) != 2 || call.rank(1) != 2) return failure(call, "needs two matrices");
  const bool trans_a = call.attributes.integer("transA", 0) != 0;
  const bool trans_b = call.attributes.integer("transB", 0) != 0;
  const Dim& m = call.shape(0)[trans_a ? 1 : 0];
  const Dim& k = call.shape(0)[trans_a ? 0 : 1];
  const Dim& k2 = call.shape(1)[trans_b ? 1 : 0];
  const Dim& n = call.shape(1)[trans_b ? 0 : 1];
  if (!same(k, k2)) return inner_mismatch(call, k, k2);
  const Shape shape = {m, n};
  if (call.inputs.size() == 3) {
    const auto combined = broadcast_shapes(shape, call.shape(2));
    if (!combined.ok() || combined.value() != shape) {
      return failure(call, "C " + shape_text(call.shape(2)) + " does not broadcast to " + shape_text(shape));
    }
  }
  return Types{{call.dtype(), shape}};
}

struct Heads {
  std::int64_t query;
  std::int64_t key_value;
};

Status check_heads(const Call& call, const Heads& heads) {
  if (heads.query < 1 || heads.key_value < 1 || heads.query % heads.key_value != 0) {
    return failure(call, "the number of query heads must be a multiple of the number of key/value heads");
  }
  return Status();
}

Result<Dim> part_of(const Call& call, const Dim& whole, std::int64_t parts, std::string_view what) {
  if (whole.is_symbol()) return failure(call, std::string(what) + " '" + whole.name() + "' must be a number to be cut into heads");
  if (whole.extent() % parts != 0) {
    return failure(call, std::string(what) + " " + whole.text() + " is not a multiple of " + std::to_string(parts) + " heads");
  }
  return Dim(whole.extent() / parts);
}

// The optional mask must broadcast one way to [batch, heads, query length, key length].
Status check_mask(const Call& call, const Shape& scores) {
  if (call.inputs.size() < 4) return Status();
  if (call.dtype(3) != DType::kBool && call.dtype(3) != call.dtype()) return failure(call, "the mask must be bool or of Q's type");
  const auto combined = broadcast_shapes(scores, call.shape(3));
  if (!combined.ok() || combined.value() != scores) {
    return failure(call, "the mask " + shape_text(call.shape(3)) + " does not broadcast to " + shape_text(scores));
  }
  return Status();
}

// Q [B,H,S,D], K [B,G,T,D], V [B,G,T,E] → [B,H,S,E].
Result<Types> attention_by_heads(const Call& call) {
  const Shape& q = call.shape(0);
  const Shape& k = call.shape(1);
  const Shape& v = call.shape(2);
  if (!same(q[0], k[0]) || !same(k[0], v[0]) || !same(k[1], v[1]) || !same(k[2], v[2]) || !same(q[3], k[3])) {
    return failure(call, "Q [B,H,S,D], K [B,G,T,D] and V [B,G,T,E] do not fit each other");
  }
  if (!same(q[1], k[1])) {
    if (q[1].is_symbol() || k[1].is_symbol()) return failure(call, "differing numbers of heads must be numbers");
    FL_TRY_VOID(check_heads(call, {q[1].extent(), k[1].extent()}));
  }
  FL_TRY_VOID(check_mask(call, {q[0], q[1], q[2], k[2]}));
  return Types{{call.dtype(), {q[0], q[1], q[2], v[3]}}};
}

// Q [B,S,H·D], K [B,T,G·D], V [B,T,G·E] → [B,S,H·E], heads given as attributes.
Result<Types> attention_flat(const Call& call) {
  const Heads heads = {call.attributes.integer("q_num_heads", 0), call.attributes.integer("kv_num_heads", 0)};
  FL_TRY_VOID(check_heads(call, heads));
  const Shape& q = call.shape(0);
  const Shape& k = call.shape(1);
  const Shape& v = call.shape(2);
  if (!same(q[0], k[0]) || !same(k[0], v[0]) || !same(k[1], v[1])) return failure(call, "Q, K and V do not fit each other");
  FL_TRY(const Dim depth_q, part_of(call, q[2], heads.query, "Q's width"));
  FL_TRY(const Dim depth_k, part_of(call, k[2], heads.key_value, "K's width"));
  FL_TRY(const Dim depth_v, part_of(call, v[2], heads.key_value, "V's width"));
  if (!same(depth_q, depth_k)) return inner_mismatch(call, depth_q, depth_k);
  FL_TRY_VOID(check_mask(call, {q[0], heads.query, q[1], k[1]}));
  const auto width = product(Shape{heads.query, depth_v});
  if (!width) return failure(call, "its result is too large");
  return Types{{call.dtype(), {q[0], q[1], *width}}};
}

Result<Types> attention(const Call& call) {
  FL_TRY_VOID(require_floating(call));
  if (call.dtype(1) != call.dtype() || call.dtype(2) != call.dtype()) return failure(call, "Q, K and V must have one element type");
  if (call.rank(1) != call.rank() || call.rank(2) != call.rank()) return failure(call, "Q, K and V must have one rank");
  if (call.rank() == 4) return attention_by_heads(call);
  if (call.rank() == 3) return attention_flat(call);
  return failure(call, "Q, K and V must have rank 3 or 4");
}

}  // namespace

Result<Types> contraction(const Call& call) {
  // ONNX's types: sums of products of smaller integers have operators of their own.
  const bool summable = is_floating(call.dtype()) || call.dtype() == DType::kI32 || call.dtype() == DType::kI64;
  if (!summable) return failure(call, "needs floating point, i32 or i64, got " + std::string(name_of(call.dtype())));
  if (call.op == Op::kGemm) return gemm(call);
  if (call.op == Op::kAttention) return attention(call);
  return matmul(call);
}

}  // namespace fuselab::infer
