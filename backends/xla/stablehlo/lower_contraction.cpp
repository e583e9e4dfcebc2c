// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <cmath>
#include <limits>
#include <numeric>

#include "backends/xla/stablehlo/lowering.h"

namespace fuselab::xla {
namespace {

// dot_general over the last axis of `a` and axis `inner` of `b`, with the axes before them as batches; result [batches, m, n].
HloValue dot(HloBuilder& out, const HloValue& a, const HloValue& b, std::int64_t inner_a, std::int64_t inner_b,
             std::int64_t batches) {
  Extents batch_axes(static_cast<std::size_t>(batches)), extents;
  std::iota(batch_axes.begin(), batch_axes.end(), 0);
  for (std::int64_t axis = 0; axis < a.rank(); ++axis) {
    if (axis != inner_a) extents.push_back(a.extents[static_cast<std::size_t>(axis)]);
  }
  for (std::int64_t axis = batches; axis < b.rank(); ++axis) {
    if (axis != inner_b) extents.push_back(b.extents[static_cast<std::size_t>(axis)]);
  }
  std::string text = "stablehlo.dot_general " + a.name + ", " + b.name;
  if (batches > 0) text += ", batching_dims = " + number_list(batch_axes) + " x " + number_list(batch_axes);
  text +=
      ", contracting_dims = [" + std::to_string(inner_a) + "] x [" + std::to_string(inner_b) + "], precision = [HIGHEST, HIGHEST]";
  return out.append(text, std::array{a, b}, a.dtype, std::move(extents));
}

Extents head(const Extents& extents, std::size_t count) {
  return {extents.begin(), extents.begin() + static_cast<std::ptrdiff_t>(count)};
}

// numpy.matmul. A matrix behind a stack of matrices takes all their rows as its own; both stacks are spread over each other.
HloResults matmul(const HloCall& call) {
  HloBuilder& out = call.out;
  HloValue a = call.in[0], b = call.in[1];
  if (a.rank() == 1) a = out.reshape(a, {1, a.extents[0]});
  if (b.rank() == 1) b = out.reshape(b, {b.extents[0], 1});
  if (b.rank() == 2) {
    const HloValue product = dot(out, a, b, a.rank() - 1, 0, 0);
    return std::vector{out.reshape(product, call.extents())};
  }
  const Extents batches = broadcast_extents(head(a.extents, a.extents.size() - 2), head(b.extents, b.extents.size() - 2));
  const auto stacked = [&](const HloValue& x) {
    Extents extents = batches;
    extents.insert(extents.end(), x.extents.end() - 2, x.extents.end());
    return out.broadcast(x, extents);
  };
  a = stacked(a);
  b = stacked(b);
  const HloValue product = dot(out, a, b, a.rank() - 1, b.rank() - 2, static_cast<std::int64_t>(batches.size()));
  return std::vector{out.reshape(product, call.extents())};
}

HloResults gemm(const HloCall& call) {
  HloBuilder& out = call.out;
  const Attributes& attributes = call.node.attributes;
  const std::int64_t inner_a = attributes.integer("transA", 0) != 0 ? 0 : 1;
  const std::int64_t inner_b = attributes.integer("transB", 0) != 0 ? 1 : 0;
  HloValue y = dot(out, call.in[0], call.in[1], inner_a, inner_b, 0);
  if (const double alpha = attributes.real("alpha", 1); alpha != 1) y = out.with("multiply", y, alpha);
  if (!call.has(2)) return std::vector{y};
  HloValue c = call.in[2];
  if (const double beta = attributes.real("beta", 1); beta != 1) c = out.with("multiply", c, beta);
  return std::vector{out.spread("add", y, c)};
}

// Each shared head once for every query head that reads it.
HloValue repeated(HloBuilder& out, const HloValue& x, std::int64_t heads) {
  const std::int64_t shared = x.extents[1];
  if (shared == heads) return x;
  const Extents spread = {x.extents[0], shared, heads / shared, x.extents[2], x.extents[3]};
  return out.reshape(out.broadcast_in(x, spread, {0, 1, 3, 4}), {x.extents[0], heads, x.extents[2], x.extents[3]});
}

// ONNX Attention: softmax(scale · Q·Kᵀ, softcap, mask) · V. A query that sees no key gives 0.
HloResults attention(const HloCall& call) {
  HloBuilder& out = call.out;
  const Attributes& attributes = call.node.attributes;
  const bool flat = call.in[0].rank() == 3;
  const HloValue q = by_heads(out, call.in[0], attributes.integer("q_num_heads", 1));
  const std::int64_t heads = q.extents[1];
  const std::int64_t shared = attributes.integer("kv_num_heads", 1);
  const HloValue k = repeated(out, by_heads(out, call.in[1], shared), heads);
  const HloValue v = repeated(out, by_heads(out, call.in[2], shared), heads);
  const double scale = attributes.real("scale", 1 / std::sqrt(static_cast<double>(q.extents[3])));
  HloValue scores = out.with("multiply", dot(out, q, k, 3, 3, 2), scale);
  if (const double cap = attributes.real("softcap", 0); cap > 0) {
    scores = out.with("multiply", out.unary("tanh", out.with("divide", scores, cap)), cap);
  }
  const double infinity = std::numeric_limits<double>::infinity();
  const HloValue hidden = out.constant(-infinity, scores.dtype, scores.extents);
  bool masks = false;
  if (call.has(3)) {
    const HloValue mask = out.broadcast(call.in[3], scores.extents);
    scores = mask.dtype == DType::kBool ? out.select(mask, scores, hidden) : out.binary("add", scores, mask);
    masks = true;
  }
  if (attributes.integer("is_causal", 0) != 0) {
    const HloValue row = out.iota(DType::kI32, scores.extents, 2), column = out.iota(DType::kI32, scores.extents, 3);
    scores = out.select(out.compare("LE", column, row), scores, hidden);
  }
  HloValue weights = softmax(out, scores, 3, false);
  if (masks) {
    const HloValue most = out.reduce("maximum", scores, {3}, -infinity);
    const HloValue blind =
        out.broadcast_in(out.compare("EQ", most, out.constant(-infinity, most.dtype, most.extents)), scores.extents, {0, 1, 2});
    weights = out.select(blind, out.constant(0, weights.dtype, weights.extents), weights);
  }
  HloValue y = dot(out, weights, v, 3, 2, 2);
  if (flat) y = out.transpose(y, {0, 2, 1, 3});
  return std::vector{out.reshape(y, call.extents())};
}

}  // namespace

HloValue by_heads(HloBuilder& out, const HloValue& x, std::int64_t heads) {
  if (x.rank() == 4) return x;
  return out.transpose(out.reshape(x, {x.extents[0], x.extents[1], heads, x.extents[2] / heads}), {0, 2, 1, 3});
}

HloResults lower_contraction(const HloCall& call) {
  switch (call.node.op) {
    case Op::kMatMul: return matmul(call);
    case Op::kGemm: return gemm(call);
    case Op::kAttention: return attention(call);
    default: return unwritten(call, "has no writer");
  }
}

}  // namespace fuselab::xla
