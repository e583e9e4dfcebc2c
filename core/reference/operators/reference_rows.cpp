// SPDX-License-Identifier: Apache-2.0
#include "core/reference/operators/reference_rows.h"

#include "core/tensor/small_float.h"

namespace fuselab::reference {

void load_row(const Tensor& tensor, const Rows& rows, std::int64_t row, Row& to) {
  const std::int64_t base = rows.base(row);
  to.resize(static_cast<std::size_t>(rows.length()));
  for (std::int64_t i = 0; i < rows.length(); ++i) {
    const std::int64_t at = base + rows.offset(i);
    to[static_cast<std::size_t>(i)] = {tensor.at(at), tensor.error_at(at)};
  }
}

namespace {

// Sum of a row; `magnitude` is the sum of its terms' magnitudes.
Bounded sum_of(const Row& row, double accumulate) {
  double sum = 0, magnitude = 0, error = 0;
  for (const Bounded x : row) {
    sum += x.v;
    magnitude += std::fabs(x.v);
    error += x.e;
  }
  return {sum, error + sum_growth(static_cast<std::int64_t>(row.size())) * accumulate * magnitude};
}

Bounded row_product(const Row& row, double accumulate) {
  Bounded product{1, 0};
  for (const Bounded x : row) {
    const double v = product.v * x.v;
    product.e = std::fabs(product.v) * x.e + std::fabs(x.v) * product.e + kUnit * x.e * product.e + accumulate * std::fabs(v);
    product.v = v;
  }
  return product;
}

// NaN wins. Elements that come near the maximum may be it in a kernel: the largest of their errors counts.
Bounded max_of(const Row& row) {
  Bounded most{-kUnbounded, 0};
  for (const Bounded x : row) most.v = std::isnan(x.v) || std::isnan(most.v) ? x.v + most.v : std::max(most.v, x.v);
  for (const Bounded x : row) {
    if (x.v + x.e * (1.0 / 64) >= most.v) most.e = std::max(most.e, x.e);
  }
  return most;
}

// Exponentials relative to the row's maximum, and their sum.
Bounded exponentials(Row& row, double accumulate) {
  const Bounded most = max_of(row);
  for (Bounded& x : row) {
    const double down = x.v - most.v;
    const double p = std::exp(down);
    x = {p, p > 0 ? p * (x.e + most.e + accumulate * (std::fabs(down) + kTranscendental)) : (std::isnan(p) ? kUnbounded : 0)};
  }
  return sum_of(row, accumulate);
}

struct Normalizer {
  Bounded mean;
  Bounded inverse;  // 1 / sqrt(mean square + epsilon)
};

// Statistics of a row. The second moment's error is that of the one-pass formula, which loses more than two passes.
Normalizer normalizer_of(const Row& row, bool centred, double epsilon, double accumulate) {
  const double n = static_cast<double>(row.size());
  Normalizer result;
  if (centred) {
    const Bounded sum = sum_of(row, accumulate);
    result.mean = {sum.v / n, sum.e / n + accumulate * std::fabs(sum.v / n)};
  }
  double square = 0, error = 0, raw = 0;
  for (const Bounded x : row) {
    const double c = x.v - result.mean.v;
    square += c * c;
    raw += x.v * x.v;
    error += 2 * std::fabs(c) * (x.e + result.mean.e);
  }
  const double growth = 2 + sum_growth(static_cast<std::int64_t>(row.size()));
  const double variance_error = error / n + growth * accumulate * raw / n;
  const double base = square / n + epsilon;
  const double inverse = 1 / std::sqrt(base);
  result.inverse = {inverse, inverse * (0.5 * variance_error / base + 4 * accumulate)};
  return result;
}

void normalize(const NodeCall& call, const Rows& rows, const std::vector<std::int64_t>& row_extents, std::int64_t row,
               Row& buffer) {
  const bool centred = call.node.op == Op::kLayerNormalization;
  const Rounding rounding = rounding_of(call.output.dtype);
  const double u = rounding.accumulate;
  load_row(call.input(0), rows, row, buffer);
  const Normalizer norm = normalizer_of(buffer, centred, call.node.attributes.real("epsilon", 1e-5), u);
  const BroadcastIndex scale_at(row_extents, call.input(1).extents);
  const std::vector<std::int64_t> one;
  const BroadcastIndex bias_at(row_extents, call.has_input(2) ? std::span<const std::int64_t>(call.input(2).extents) : one);
  for (std::int64_t i = 0; i < rows.length(); ++i) {
    const Bounded x = buffer[static_cast<std::size_t>(i)];
    const Bounded scale = call.operand(1, scale_at(i));
    const Bounded bias = call.has_input(2) ? call.operand(2, bias_at(i)) : Bounded{};
    const double c = x.v - norm.mean.v;
    const double unit = c * norm.inverse.v;
    const double unit_error = (x.e + norm.mean.e + u * std::fabs(c)) * norm.inverse.v + std::fabs(c) * norm.inverse.e;
    const double scaled = unit * scale.v;
    const double error = unit_error * std::fabs(scale.v) + std::fabs(unit) * scale.e + bias.e + 3 * u * std::fabs(scaled);
    call.put(rounding, rows.base(row) + rows.offset(i), {scaled + bias.v, error + u * std::fabs(bias.v)});
  }
}

void normalize_all(const NodeCall& call) {
  const auto& extents = call.input(0).extents;
  const std::size_t axis = axis_of(call.node.attributes.integer("axis", -1), extents.size());
  std::vector<bool> along(extents.size(), false);
  std::fill(along.begin() + static_cast<std::ptrdiff_t>(axis), along.end(), true);
  const Rows rows(extents, along);
  const std::vector<std::int64_t> row_extents(extents.begin() + static_cast<std::ptrdiff_t>(axis), extents.end());
  Row buffer;
  std::int64_t last = -1;
  call.needed.for_each(call.output.count(), [&](std::int64_t at) {
    const std::int64_t row = rows.row_of(at);  // rows are contiguous: their elements come together
    if (row != last) normalize(call, rows, row_extents, row, buffer);
    last = row;
  });
}

void softmax_all(const NodeCall& call) {
  const auto& extents = call.input(0).extents;
  std::vector<bool> along(extents.size(), false);
  along[axis_of(call.node.attributes.integer("axis", -1), extents.size())] = true;
  const Rows rows(extents, along);
  const Rounding rounding = rounding_of(call.output.dtype);
  std::vector<bool> done(static_cast<std::size_t>(rows.count()), false);
  Row buffer;
  call.needed.for_each(call.output.count(), [&](std::int64_t at) {
    const std::int64_t row = rows.row_of(at);
    if (done[static_cast<std::size_t>(row)]) return;
    done[static_cast<std::size_t>(row)] = true;
    load_row(call.input(0), rows, row, buffer);
    (call.node.op == Op::kSoftmax ? softmax_row : log_softmax_row)(buffer, rounding.accumulate);
    const std::int64_t base = rows.base(row);
    for (std::int64_t i = 0; i < rows.length(); ++i) call.put(rounding, base + rows.offset(i), buffer[static_cast<std::size_t>(i)]);
  });
}

std::vector<bool> reduced_axes(const Node& node, std::size_t rank) {
  if (node.op == Op::kGlobalAveragePool) {
    std::vector<bool> along(rank, true);
    along[0] = along[1] = false;
    return along;
  }
  const auto axes = node.attributes.integers("axes");
  const bool keep_all = axes.empty() && node.attributes.integer("noop_with_empty_axes", 0) != 0;
  std::vector<bool> along(rank, axes.empty() && !keep_all);
  for (const std::int64_t axis : axes) along[axis_of(axis, rank)] = true;
  return along;
}

void reduce_all(const NodeCall& call) {
  const Rows rows(call.input(0).extents, reduced_axes(call.node, call.input(0).extents.size()));
  const Rounding rounding = rounding_of(call.output.dtype);
  const double n = static_cast<double>(rows.length());
  const bool whole = !is_floating(call.output.dtype);
  Row buffer;
  call.needed.for_each(call.output.count(), [&](std::int64_t at) {
    load_row(call.input(0), rows, at, buffer);
    if (call.node.op == Op::kReduceMax) {
      Bounded most = max_of(buffer);
      most.v = std::isnan(most.v) ? most.v : std::max(most.v, detail::lowest_of(call.output.dtype));  // of no elements
      return call.put_copy(at, most);
    }
    if (call.node.op == Op::kReduceProd) return call.put(rounding, at, row_product(buffer, rounding.accumulate));
    const Bounded sum = sum_of(buffer, rounding.accumulate);
    if (call.node.op == Op::kReduceSum) return call.put(rounding, at, sum);
    call.put(rounding, at, {whole ? std::trunc(sum.v / n) : sum.v / n, sum.e / n});
  });
}

}  // namespace

void softmax_row(std::vector<Bounded>& row, double accumulate) {
  const Bounded sum = exponentials(row, accumulate);
  for (Bounded& p : row) {
    const double y = p.v / sum.v;
    p = {y, (p.e + y * sum.e) / sum.v + accumulate * y};
  }
}

void log_softmax_row(std::vector<Bounded>& row, double accumulate) {
  const Bounded most = max_of(row);
  Row powers = row;
  const Bounded sum = exponentials(powers, accumulate);
  const double log = std::log(sum.v);
  const double shared = most.e + sum.e / sum.v + kTranscendental * accumulate * std::fabs(log);
  for (Bounded& x : row) {
    const double down = x.v - most.v;
    x = {down - log, x.e + shared + accumulate * std::fabs(down)};
  }
}

namespace {

Status loss(const NodeCall& call) {
  const Tensor& scores = call.input(0);
  const Tensor& labels = call.input(1);
  const Rounding rounding = rounding_of(call.output.dtype);
  std::vector<bool> along(scores.extents.size(), false);
  along[1] = true;
  const Rows rows(scores.extents, along);
  const std::string reduction = call.node.attributes.text("reduction", "mean");
  const bool ignores = call.node.attributes.has("ignore_index");
  const std::int64_t ignored = call.node.attributes.integer("ignore_index", 0);
  Row buffer, losses;
  double total_weight = 0;
  for (std::int64_t row = 0; row < rows.count(); ++row) {
    const auto label = static_cast<std::int64_t>(labels.at(row));
    losses.emplace_back();
    if (ignores && label == ignored) continue;
    if (label < 0 || label >= rows.length()) {
      return invalid_argument(std::string(name_of(call.node.op)) + ": label " + std::to_string(label) + " at " +
                              std::to_string(row) + " is outside of the " + std::to_string(rows.length()) + " classes");
    }
    load_row(scores, rows, row, buffer);
    if (call.node.op == Op::kSoftmaxCrossEntropyLoss) log_softmax_row(buffer, rounding.accumulate);
    const Bounded weight = call.has_input(2) ? call.operand(2, label) : Bounded{1, 0};
    const Bounded log = buffer[static_cast<std::size_t>(label)];
    const double own = rounding.accumulate * std::fabs(log.v * weight.v);
    losses.back() = {-log.v * weight.v, std::fabs(log.v) * weight.e + std::fabs(weight.v) * log.e + own};
    total_weight += weight.v;
  }
  if (reduction == "none") {
    for (std::int64_t row = 0; row < rows.count(); ++row) call.put(rounding, row, losses[static_cast<std::size_t>(row)]);
    return {};
  }
  const Bounded sum = sum_of(losses, rounding.accumulate);
  const double divisor = reduction == "mean" ? total_weight : 1;
  // The sum of the weights is itself a rounded sum.
  const double extra = reduction == "mean" ? sum_growth(rows.count()) * rounding.accumulate * std::fabs(sum.v / divisor) : 0;
  call.put(rounding, 0, {sum.v / divisor, sum.e / std::fabs(divisor) + extra});
  return {};
}

std::vector<Needed> reduce_demand(const Ask& ask) {
  return row_demand(ask, reduced_axes(ask.node, ask.rank()), true);
}

std::vector<Needed> normalized_demand(const Ask& ask) {
  std::vector<bool> along(ask.rank(), false);
  for (std::size_t i = axis_of(ask.node.attributes.integer("axis", -1), ask.rank()); i < along.size(); ++i) along[i] = true;
  return row_demand(ask, along, false);
}

}  // namespace

constexpr Family<Op::kReduceSum, Op::kArgMax, Op::kSoftmax, Op::kHardmax, Op::kLayerNormalization, Op::kMatMul,
                 Op::kGlobalAveragePool, Op::kRotaryEmbedding>
    kRows({
        {Op::kReduceSum, always<reduce_all>, reduce_demand},
        {Op::kReduceMean, always<reduce_all>, reduce_demand},
        {Op::kReduceMax, always<reduce_all>, reduce_demand},
        {Op::kReduceProd, always<reduce_all>, reduce_demand},
        {Op::kSoftmax, always<softmax_all>, axis_demand<-1, false>},
        {Op::kLogSoftmax, always<softmax_all>, axis_demand<-1, false>},
        {Op::kLayerNormalization, always<normalize_all>, normalized_demand},
        {Op::kRMSNormalization, always<normalize_all>, normalized_demand},
        // A loss reads every row for its mean.
        {Op::kSoftmaxCrossEntropyLoss, loss},
        {Op::kNegativeLogLikelihoodLoss, loss},
        {Op::kGlobalAveragePool, always<reduce_all>, reduce_demand},
    });

}  // namespace fuselab::reference
