// SPDX-License-Identifier: Apache-2.0
#include "core/ops/infer.h"
#include "core/ops/op_row.h"
#include "core/ops/window_rules.h"

namespace fuselab::ops {
namespace {

using enum AccessPattern;
using enum AttributeKind;
using enum OperandRole;

// ONNX's types: sums of products of smaller integers have operators of their own.
Status require_summable(const Call& call) {
  const bool summable = is_floating(call.dtype()) || call.dtype() == DType::kI32 || call.dtype() == DType::kI64;
  if (!summable) return failure(call, "needs floating point, i32 or i64, got " + std::string(name_of(call.dtype())));
  return Status();
}

Error inner_mismatch(const Call& call, const Dim& left, const Dim& right) {
  return failure(call, "the inner extents differ: " + left.text() + " against " + right.text());
}

// numpy.matmul: a vector gains an axis that the result loses again.
Result<Types> matmul(const Call& call) {
  FL_TRY_VOID(require_summable(call));
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
  FL_TRY_VOID(require_summable(call));
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
  FL_TRY_VOID(require_summable(call));
  FL_TRY_VOID(require_floating(call));
  if (call.dtype(1) != call.dtype() || call.dtype(2) != call.dtype()) return failure(call, "Q, K and V must have one element type");
  if (call.rank(1) != call.rank() || call.rank(2) != call.rank()) return failure(call, "Q, K and V must have one rank");
  if (call.rank() == 4) return attention_by_heads(call);
  if (call.rank() == 3) return attention_flat(call);
  return failure(call, "Q, K and V must have rank 3 or 4");
}

Status check_channels(const Call& call, std::int64_t group) {
  const Dim& channels = call.shape(0)[1];
  const Dim& weights = call.shape(1)[1];
  const Dim& filters = call.shape(1)[0];
  if (group < 1 || group > kMaxWindow) return failure(call, "group must be 1 or more");
  if (group == 1 && same(channels, weights)) return Status();
  if (channels.is_symbol() || weights.is_symbol() || filters.is_symbol()) return failure(call, "grouped channels must be numbers");
  if (weights.extent() > kMaxWindow || weights.extent() * group != channels.extent() || filters.extent() % group != 0) {
    return failure(call, "channels do not fit: the weights take " + weights.text() + " per group, group=" + std::to_string(group));
  }
  return Status();
}

Result<Types> conv(const Call& call) {
  FL_TRY_VOID(require_floating(call));
  FL_TRY_VOID(require_same_dtype(call));
  if (call.rank() < 3 || call.rank(1) != call.rank()) return failure(call, "needs X [N,C,…] and W [M,C/group,…] of one rank ≥ 3");
  FL_TRY_VOID(check_channels(call, call.attributes.integer("group", 1)));
  std::vector<std::int64_t> kernel;
  for (std::size_t i = 2; i < call.shape(1).size(); ++i) {
    if (call.shape(1)[i].is_symbol()) return failure(call, "the window must be numbers");
    kernel.push_back(call.shape(1)[i].extent());
  }
  if (call.attributes.has("kernel_shape") && call.attributes.integers("kernel_shape") != kernel) {
    return failure(call, "kernel_shape differs from the weights' shape");
  }
  if (call.inputs.size() == 3 && call.shape(2) != Shape{call.shape(1)[0]}) return failure(call, "the bias must be one per filter");
  FL_TRY(const std::vector<Axis> axes, axes_of(call, kernel, kernel.size()));
  FL_TRY(Shape shape, slide(call, axes));
  shape[1] = call.shape(1)[0];
  return Types{{call.dtype(), std::move(shape)}};
}

double extent(const TensorType& type, std::size_t axis) {
  return static_cast<double>(type.shape[axis].extent());
}

double matmul_flops(const Call& call, const TensorType& result) {
  return 2 * elements(result) * extent(call.inputs[0], call.shape(0).size() - 1);
}

double gemm_flops(const Call& call, const TensorType& result) {
  const std::size_t inner = call.attributes.integer("transA", 0) != 0 ? 0 : 1;
  const double addend = call.inputs.size() == 3 ? elements(result) : 0;
  return 2 * elements(result) * extent(call.inputs[0], inner) + addend;
}

// 2·N·K·P·Q·C·R·S: each output is one filter's worth of multiply-adds.
double conv_flops(const Call& call, const TensorType& result) {
  const double filters = extent(call.inputs[1], 0);
  const double filter = filters > 0 ? elements(call.inputs[1]) / filters : 0;
  return 2 * elements(result) * filter + (call.inputs.size() == 3 ? elements(result) : 0);
}

// Two contractions and a softmax over all scores; a causal mask skips none of them here, as a plain kernel would not.
double attention_flops(const Call& call, const TensorType& result) {
  const bool by_heads = call.rank() == 4;
  const double keys = extent(call.inputs[1], by_heads ? 2 : 1);
  const double heads = by_heads ? extent(call.inputs[0], 1) : call.attributes.real("q_num_heads", 1);
  const double queries = extent(call.inputs[0], 0) * heads * extent(call.inputs[0], by_heads ? 2 : 1);
  const double contractions = 2 * keys * (elements(call.inputs[0]) + elements(result));
  return contractions + info_of(Op::kSoftmax).flops_per_element * queries * keys;
}

Schema gemm_attributes() {
  return {real("alpha", 1.0), real("beta", 1.0), integer("transA", 0), integer("transB", 0)};
}

Schema conv_attributes() {
  return {text("auto_pad", "NOTSET"),          optional("dilations", kIntegers), integer("group", 1),
          optional("kernel_shape", kIntegers), optional("pads", kIntegers),      optional("strides", kIntegers)};
}

Schema attention_attributes() {
  return {integer("is_causal", 0),
          optional("kv_num_heads", kInteger),
          optional("q_num_heads", kInteger),
          optional("scale", kReal),
          real("softcap", 0.0),
          integer("qk_matmul_output_mode", 0),
          optional("softmax_precision", kInteger)};
}

}  // namespace

constexpr Family<Op::kMatMul, Op::kLSTM> kContractions({
    // {name, access, least and most operands, FLOPs}, types, weight, attributes, FLOPs by formula, roles of operands
    {{Op::kMatMul, "MatMul", kContraction, 2, 2, 0}, matmul, 16, nullptr, matmul_flops, {kValue, kWeight}},
    {{Op::kGemm, "Gemm", kContraction, 2, 3, 0}, gemm, 16, gemm_attributes, gemm_flops, {kValue, kWeight}},
    {{Op::kConv, "Conv", kContraction, 2, 3, 0}, conv, 16, conv_attributes, conv_flops, {kValue, kWeight}},
    {{Op::kAttention, "Attention", kContraction, 3, 4, 0},
     attention,
     16,
     attention_attributes,
     attention_flops,
     {kValue, kValue, kValue, kMask}},
});

}  // namespace fuselab::ops
