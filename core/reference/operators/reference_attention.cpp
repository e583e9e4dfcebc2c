// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <optional>

#include "core/reference/operators/reference_attention.h"

namespace fuselab::reference {

AttentionShape attention_shape(const Node& node, std::span<const std::int64_t> q, std::span<const std::int64_t> k,
                               std::span<const std::int64_t> v) {
  AttentionShape shape;
  shape.batch = q[0];
  if (q.size() == 4) {
    shape.heads = q[1];
    shape.shared_heads = k[1];
    shape.queries = q[2];
    shape.keys = k[2];
    shape.depth = q[3];
    shape.width = v[3];
    return shape;
  }
  shape.flat = true;
  shape.heads = node.attributes.integer("q_num_heads", 1);
  shape.shared_heads = node.attributes.integer("kv_num_heads", 1);
  shape.queries = q[1];
  shape.keys = k[1];
  shape.depth = q[2] / shape.heads;
  shape.width = v[2] / shape.shared_heads;
  return shape;
}

AttentionRow AttentionShape::row_of(std::int64_t output) const {
  if (flat) return {output / (width * heads * queries), output / width % heads, output / (width * heads) % queries};
  return {output / (width * queries * heads), output / (width * queries) % heads, output / width % queries};
}

std::int64_t AttentionShape::output_base(const AttentionRow& row) const {
  if (flat) return ((row.batch * queries + row.query) * heads + row.head) * width;
  return ((row.batch * heads + row.head) * queries + row.query) * width;
}

std::int64_t AttentionShape::query_base(const AttentionRow& row) const {
  if (flat) return ((row.batch * queries + row.query) * heads + row.head) * depth;
  return ((row.batch * heads + row.head) * queries + row.query) * depth;
}

std::int64_t AttentionShape::shared_base(const AttentionRow& row, std::int64_t key, std::int64_t vector) const {
  const std::int64_t head = row.head / (heads / shared_heads);
  if (flat) return ((row.batch * keys + key) * shared_heads + head) * vector;
  return ((row.batch * shared_heads + head) * keys + key) * vector;
}

namespace {

// One query against all keys. The soft cap comes before the mask, so that what is masked stays masked.
class AttentionEvaluator {
 public:
  explicit AttentionEvaluator(const NodeCall& call)
      : call_(call),
        shape_(attention_shape(call.node, call.input(0).extents, call.input(1).extents, call.input(2).extents)),
        rounding_(rounding_of(call.output.dtype)) {
    scale_ = call.node.attributes.real("scale", 1 / std::sqrt(static_cast<double>(shape_.depth)));
    softcap_ = call.node.attributes.real("softcap", 0);
    causal_ = call.node.attributes.integer("is_causal", 0) != 0;
    const std::vector<std::int64_t> scores = {shape_.batch, shape_.heads, shape_.queries, shape_.keys};
    if (call.has_input(3)) mask_at_.emplace(scores, call.input(3).extents);
  }

  const AttentionShape& shape() const { return shape_; }

  void evaluate(const AttentionRow& row) {
    scores_.clear();
    for (std::int64_t key = 0; key < shape_.keys; ++key) scores_.push_back(masked(row, key, score(row, key)));
    if (mask_at_ && all_hidden()) {
      std::fill(scores_.begin(), scores_.end(), Bounded{});
    } else {
      softmax_row(scores_, rounding_.accumulate);
      for (Bounded& weight : scores_) weight.e += rounding_.underflow;
    }
    weigh(row);
  }

 private:
  Bounded score(const AttentionRow& row, std::int64_t key) const {
    const std::int64_t q = shape_.query_base(row);
    const std::int64_t k = shape_.shared_base(row, key, shape_.depth);
    double sum = 0, magnitude = 0, error = 0;
    for (std::int64_t d = 0; d < shape_.depth; ++d) {
      const double term = call_.input(0).at(q + d) * call_.input(1).at(k + d);
      sum += term;
      magnitude += std::fabs(term);
    }
    if (!call_.input(0).error.empty() || !call_.input(1).error.empty()) {
      for (std::int64_t d = 0; d < shape_.depth; ++d) {
        const Bounded a = call_.operand(0, q + d), b = call_.operand(1, k + d);
        error += std::fabs(a.v) * b.e + std::fabs(b.v) * a.e + kUnit * a.e * b.e;
      }
    }
    const double own = (2 + sum_growth(shape_.depth)) * rounding_.accumulate * magnitude;
    const Bounded scaled{sum * scale_, std::fabs(scale_) * (own + error)};
    if (softcap_ <= 0) return scaled;
    const double t = std::tanh(scaled.v / softcap_);
    return {softcap_ * t, scaled.e * (1 - t * t) + kTranscendental * rounding_.accumulate * std::fabs(softcap_ * t)};
  }

  Bounded masked(const AttentionRow& row, std::int64_t key, Bounded score) const {
    if (causal_ && key > row.query) return {-kUnbounded, 0};
    if (!mask_at_) return score;
    const std::int64_t at = (*mask_at_)(((row.batch * shape_.heads + row.head) * shape_.queries + row.query) * shape_.keys + key);
    const Bounded mask = call_.operand(3, at);
    if (call_.input(3).dtype == DType::kBool) return mask.v != 0 ? score : Bounded{-kUnbounded, 0};
    return {score.v + mask.v, score.e + mask.e + rounding_.accumulate * std::fabs(score.v)};
  }

  // A query that sees no key gives 0, where Softmax alone would give NaN: corrected in place for operator set 23 and later ones
  // (onnx/onnx#8068).
  bool all_hidden() const {
    return std::all_of(scores_.begin(), scores_.end(), [](Bounded score) { return score.v == -kUnbounded; });
  }

  void weigh(const AttentionRow& row) {
    const Tensor& values = call_.input(2);
    sums_.assign(static_cast<std::size_t>(shape_.width), {});
    is_open_.assign(static_cast<std::size_t>(shape_.width), false);
    squares_.assign(static_cast<std::size_t>(shape_.width), 0);
    const double growth = sum_growth(shape_.keys) * rounding_.accumulate;
    // A weight that is smaller may be 0 in a kernel, and 0 · Inf is NaN: which of both comes out is left open.
    const double least_weight = 2 * rounding_.underflow * kUnit;
    for (std::int64_t key = 0; key < shape_.keys; ++key) {
      const Bounded p = scores_[static_cast<std::size_t>(key)];
      const std::int64_t base = shape_.shared_base(row, key, shape_.width);
      for (std::int64_t d = 0; d < shape_.width; ++d) {
        const double v = values.at(base + d);
        Bounded& sum = sums_[static_cast<std::size_t>(d)];
        if (p.v <= least_weight && p.v > 0 && std::isinf(v)) is_open_[static_cast<std::size_t>(d)] = true;
        sum.v += p.v * v;
        sum.e += std::fabs(v) * (p.e + growth * p.v) + p.v * values.error_at(base + d);
        squares_[static_cast<std::size_t>(d)] += p.v * v * p.v * v;
      }
    }
    const std::int64_t out = shape_.output_base(row);
    for (std::int64_t d = 0; d < shape_.width; ++d) {
      Bounded sum = sums_[static_cast<std::size_t>(d)];
      // Whatever the precision of the softmax, ONNX multiplies values by weights of the values' own type. Each is rounded by
      // itself, so that the errors add up as squares do; a bound that grew with their number would hide a lost key.
      sum.e += rounding_.store * std::sqrt(squares_[static_cast<std::size_t>(d)]);
      call_.put(rounding_, out + d, is_open_[static_cast<std::size_t>(d)] && std::isinf(sum.v) ? Bounded{0, kUnbounded} : sum);
    }
  }

  const NodeCall& call_;
  AttentionShape shape_;
  Rounding rounding_;
  double scale_ = 1;
  double softcap_ = 0;
  bool causal_ = false;
  std::optional<BroadcastIndex> mask_at_;
  std::vector<Bounded> scores_, sums_;
  std::vector<bool> is_open_;    // of a sum: infinite or NaN
  std::vector<double> squares_;  // of the terms of a sum, added up
};

void attend(const NodeCall& call) {
  AttentionEvaluator evaluator(call);
  const std::int64_t width = evaluator.shape().width;
  std::int64_t last = -1;
  call.needed.for_each(call.output.count(), [&](std::int64_t at) {
    if (at / width != last) evaluator.evaluate(evaluator.shape().row_of(at));
    last = at / width;
  });
}

std::vector<Needed> attention_demand(const Ask& ask) {
  const AttentionShape shape = attention_shape(ask.node, ask.extents(0), ask.extents(1), ask.extents(2));
  Positions queries;
  std::int64_t last = -1;
  for (const std::int64_t at : ask.positions) {
    if (at / shape.width == last) continue;
    last = at / shape.width;
    add_range(queries, shape.query_base(shape.row_of(at)), shape.depth);
  }
  return first_input_demand(ask, std::move(queries));
}

std::int64_t terms(const Graph& graph, const Node& node) {
  const auto extents = [&](std::size_t i) { return extents_of(graph.type(node.inputs[i]).shape); };
  const AttentionShape shape = attention_shape(node, extents(0), extents(1), extents(2));
  return shape.keys * (shape.depth + shape.width) / std::max<std::int64_t>(shape.width, 1);
}

}  // namespace

constexpr Family<Op::kAttention, Op::kLSTM> kAttention({{Op::kAttention, always<attend>, attention_demand, terms}});

}  // namespace fuselab::reference
