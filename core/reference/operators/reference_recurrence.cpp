// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "core/graph/recurrence_extents.h"
#include "core/ops/recurrence.h"
#include "core/reference/operators/reference_node.h"
#include "core/reference/operators/reference_rows.h"

// LSTM, GRU and RNN: each sequence by itself, step after step. The errors of a state come from roundings that are independent of
// each other, so the sum over all units of what they do to the next state grows as the root of their squares; the sum of their
// sizes would leave nothing to check after a few steps.
namespace fuselab::reference {
namespace {

Bounded plus(Bounded a, Bounded b, double accumulate) {
  return {a.v + b.v, a.e + b.e + accumulate * std::fabs(a.v + b.v)};
}
Bounded times(Bounded a, Bounded b, double accumulate) {
  return {a.v * b.v, std::fabs(a.v) * b.e + std::fabs(b.v) * a.e + kUnit * a.e * b.e + accumulate * std::fabs(a.v * b.v)};
}

// Holds a number between two others: of one that lies beyond, the error is what reaches back.
Bounded held(Bounded x, double low, double high) {
  if (std::isnan(x.v)) return x;
  const double v = std::clamp(x.v, low, high);
  return {v, std::max(0.0, x.e - std::fabs(x.v - v) / kUnit)};
}

// The bound of an error that the first order makes more than a function's whole range: without this one, those of a long sequence
// would grow without end. An error without bound says that a kernel may have left its type's range, and stays.
double within_range(const Activation& activation, double value, double error) {
  const bool is_held = std::isfinite(error) && !std::isnan(value);
  const double size = std::fabs(value);
  switch (activation.kind) {
    case Activation::Kind::kSigmoid: return is_held ? std::min(error, std::max(size, 1 - size) / kUnit) : error;
    case Activation::Kind::kTanh:
    case Activation::Kind::kSoftsign: return is_held ? std::min(error, (1 + size) / kUnit) : error;
    case Activation::Kind::kScaledTanh: return is_held ? std::min(error, (std::fabs(activation.alpha) + size) / kUnit) : error;
    default: return error;
  }
}

// The value, its derivative and the largest intermediate, whose rounding the value has.
struct Applied {
  double value, slope, size;
};
Applied apply(const Activation& activation, double x) {
  const double alpha = activation.alpha, beta = activation.beta;
  switch (activation.kind) {
    case Activation::Kind::kTanh: {
      const double v = std::tanh(x);
      return {v, 1 - v * v, std::fabs(v)};
    }
    case Activation::Kind::kSigmoid: {
      const double v = 1 / (1 + std::exp(-x));
      return {v, v * (1 - v), v};
    }
    case Activation::Kind::kAffine: return {alpha * x + beta, std::fabs(alpha), std::fabs(alpha * x) + std::fabs(beta)};
    case Activation::Kind::kLeakyRelu: return {x < 0 ? alpha * x : x, std::max(1.0, std::fabs(alpha)), std::fabs(alpha * x)};
    case Activation::Kind::kScaledTanh: {
      const double v = std::tanh(beta * x);
      return {alpha * v, std::fabs(alpha * beta) * (1 - v * v), std::fabs(alpha * v) + std::fabs(alpha * beta * x) * (1 - v * v)};
    }
    case Activation::Kind::kElu: {
      if (!(x < 0)) return {x, std::max(1.0, std::fabs(alpha)), 0};
      return {alpha * std::expm1(x), std::max(1.0, std::fabs(alpha)), std::fabs(alpha)};
    }
    case Activation::Kind::kSoftsign: return {x / (1 + std::fabs(x)), 1 / ((1 + std::fabs(x)) * (1 + std::fabs(x))), 1};
    case Activation::Kind::kSoftplus: {
      const double v = std::max(x, 0.0) + std::log1p(std::exp(-std::fabs(x)));
      return {v, 1 / (1 + std::exp(-x)), v};
    }
    case Activation::Kind::kRelu:
    case Activation::Kind::kThresholdedRelu:
    case Activation::Kind::kHardSigmoid: break;  // what becomes of an error hangs on where it reaches, see activated()
  }
  return {};
}

class RecurrenceEvaluator {
 public:
  RecurrenceEvaluator(const NodeCall& call, Recurrence recurrence)
      : call_(call),
        recurrence_(std::move(recurrence)),
        extents_(recurrence_extents(call.graph, call.node)),
        rounding_(rounding_of(call.output.dtype)),
        u_(rounding_.accumulate) {}

  void evaluate() {
    for (std::size_t direction = 0; direction < recurrence_.directions(); ++direction) {
      for (std::int64_t sequence = 0; sequence < extents_.batch; ++sequence) follow(direction, sequence);
    }
  }

 private:
  // Where the state of one direction and sequence begins.
  std::int64_t state_base() const { return (static_cast<std::int64_t>(direction_) * extents_.batch + sequence_) * extents_.hidden; }

  Row initial(std::optional<std::size_t> operand) const {
    Row state(static_cast<std::size_t>(extents_.hidden));
    for (std::int64_t j = 0; operand && j < extents_.hidden; ++j)
      state[static_cast<std::size_t>(j)] = call_.operand(*operand, state_base() + j);
    return state;
  }

  // A length that does not fit is the nearest that does.
  std::int64_t length() const {
    if (!recurrence_.lengths) return extents_.steps;
    return std::clamp<std::int64_t>(static_cast<std::int64_t>(call_.input(*recurrence_.lengths).at(sequence_)), 0, extents_.steps);
  }

  void follow(std::size_t direction, std::int64_t sequence) {
    direction_ = direction;
    sequence_ = sequence;
    h_ = initial(recurrence_.initial_h);
    c_ = recurrence_.op == Op::kLSTM ? initial(recurrence_.initial_c) : Row();
    const std::int64_t steps = length();
    for (std::int64_t turn = 0; turn < steps; ++turn) {
      const std::int64_t step = recurrence_.backwards[direction] ? steps - 1 - turn : turn;
      take(step);
      if (call_.output_index == 0) put(h_, step_base(step));
    }
    for (std::int64_t step = steps; call_.output_index == 0 && step < extents_.steps; ++step)
      put(Row(static_cast<std::size_t>(extents_.hidden)), step_base(step));
    if (call_.output_index == 1) put(h_, state_base());
    if (call_.output_index == 2) put(c_, state_base());
  }

  std::int64_t step_base(std::int64_t step) const {
    const auto directions = static_cast<std::int64_t>(recurrence_.directions());
    return ((step * directions + static_cast<std::int64_t>(direction_)) * extents_.batch + sequence_) * extents_.hidden;
  }
  void put(const Row& row, std::int64_t base) const {
    for (std::int64_t j = 0; j < extents_.hidden; ++j) call_.put(rounding_, base + j, row[static_cast<std::size_t>(j)]);
  }

  // What W makes of this step's X, for one row of it.
  Bounded of_input(std::int64_t step, std::int64_t row) const {
    const std::int64_t x = (step * extents_.batch + sequence_) * extents_.width;
    const std::int64_t w = (weights_row(row)) * extents_.width;
    double sum = 0, magnitude = 0, error = 0;
    for (std::int64_t k = 0; k < extents_.width; ++k) {
      const Bounded a = call_.operand(0, x + k), b = call_.operand(1, w + k);
      sum += a.v * b.v;
      magnitude += std::fabs(a.v * b.v);
      error += std::fabs(a.v) * b.e + std::fabs(b.v) * a.e + kUnit * a.e * b.e;
    }
    return {sum, error + (2 + sum_growth(extents_.width)) * u_ * magnitude};
  }
  // What R makes of a state, for one row of it.
  Bounded of_state(const Row& state, std::int64_t row) const {
    const std::int64_t r = weights_row(row) * extents_.hidden;
    double sum = 0, magnitude = 0, error = 0, squares = 0;
    for (std::int64_t k = 0; k < extents_.hidden; ++k) {
      const Bounded a = state[static_cast<std::size_t>(k)], b = call_.operand(2, r + k);
      sum += a.v * b.v;
      magnitude += std::fabs(a.v * b.v);
      error += std::fabs(a.v) * b.e + kUnit * a.e * b.e;
      squares += b.v * b.v * a.e * a.e;
    }
    return {sum, error + std::sqrt(squares) + (2 + sum_growth(extents_.hidden)) * u_ * magnitude};
  }
  std::int64_t weights_row(std::int64_t row) const {
    return static_cast<std::int64_t>(direction_) * recurrence_.gates() * extents_.hidden + row;
  }
  // The bias that belongs to W, or the one that belongs to R.
  Bounded bias(std::int64_t row, bool of_r) const {
    if (!recurrence_.bias) return {};
    const std::int64_t rows = recurrence_.gates() * extents_.hidden;
    return call_.operand(*recurrence_.bias, static_cast<std::int64_t>(direction_) * 2 * rows + (of_r ? rows : 0) + row);
  }
  // Adds what the cell shows a gate.
  Bounded with_peephole(Bounded sum, std::int64_t gate, std::int64_t j, Bounded cell) const {
    if (!recurrence_.peepholes) return sum;
    const std::int64_t at = (static_cast<std::int64_t>(direction_) * 3 + gate) * extents_.hidden + j;
    return plus(sum, times(call_.operand(*recurrence_.peepholes, at), cell, u_), u_);
  }
  Bounded all_of_gate(std::int64_t step, std::int64_t gate, std::int64_t j) const {
    const std::int64_t row = gate * extents_.hidden + j;
    const Bounded both = plus(of_input(step, row), of_state(h_, row), u_);
    return plus(plus(both, bias(row, false), u_), bias(row, true), u_);
  }
  Bounded activated(std::size_t which, Bounded x) const {
    if (recurrence_.clip) x = held(x, -*recurrence_.clip, *recurrence_.clip);
    const Activation& activation = recurrence_.activation(direction_, which);
    if (activation.kind == Activation::Kind::kRelu) return held(x, 0, kUnbounded);
    if (activation.kind == Activation::Kind::kHardSigmoid) {
      const double size = std::fabs(activation.alpha * x.v) + std::fabs(activation.beta);
      return held({activation.alpha * x.v + activation.beta, std::fabs(activation.alpha) * x.e + 2 * u_ * size}, 0, 1);
    }
    if (activation.kind == Activation::Kind::kThresholdedRelu) {
      // A number this near may fall to either side of the step.
      const bool is_near = x.e > 0 && std::fabs(x.v - activation.alpha) <= x.e * kUnit;
      const bool passes = x.v > activation.alpha || std::isnan(x.v);
      return {passes ? x.v : 0, (passes || is_near ? x.e : 0) + (is_near ? std::fabs(activation.alpha) / kUnit : 0)};
    }
    const Applied applied = apply(activation, x.v);
    const double error = applied.slope * x.e + kTranscendental * u_ * applied.size;
    return {applied.value, within_range(activation, applied.value, error)};
  }

  void take(std::int64_t step) {
    switch (recurrence_.op) {
      case Op::kLSTM: return take_lstm(step);
      case Op::kGRU: return take_gru(step);
      default: return take_rnn(step);
    }
  }

  void take_lstm(std::int64_t step) {
    Row h(h_.size());
    for (std::int64_t j = 0; j < extents_.hidden; ++j) {
      Bounded& cell = c_[static_cast<std::size_t>(j)];
      const Bounded before = cell;
      const Bounded input = activated(0, with_peephole(all_of_gate(step, 0, j), 0, j, before));
      Bounded forget{1 - input.v, input.e + u_};
      if (!recurrence_.couples_gates) forget = activated(0, with_peephole(all_of_gate(step, 2, j), 2, j, before));
      const Bounded candidate = activated(1, all_of_gate(step, 3, j));
      cell = plus(times(forget, before, u_), times(input, candidate, u_), u_);
      const Bounded output = activated(0, with_peephole(all_of_gate(step, 1, j), 1, j, cell));
      h[static_cast<std::size_t>(j)] = times(output, activated(2, cell), u_);
    }
    h_ = std::move(h);
  }

  void take_gru(std::int64_t step) {
    const std::int64_t hidden = extents_.hidden;
    Row update(h_.size()), reset(h_.size()), seen(h_.size()), h(h_.size());
    for (std::int64_t j = 0; j < hidden; ++j) {
      const auto at = static_cast<std::size_t>(j);
      update[at] = activated(0, all_of_gate(step, 0, j));
      reset[at] = activated(0, all_of_gate(step, 1, j));
      seen[at] = times(reset[at], h_[at], u_);
    }
    for (std::int64_t j = 0; j < hidden; ++j) {
      const auto at = static_cast<std::size_t>(j);
      const std::int64_t row = 2 * hidden + j;
      const Bounded of_x = plus(of_input(step, row), bias(row, false), u_);
      const Bounded of_h = recurrence_.linear_before_reset ? times(reset[at], plus(of_state(h_, row), bias(row, true), u_), u_)
                                                           : plus(of_state(seen, row), bias(row, true), u_);
      const Bounded candidate = activated(1, plus(of_x, of_h, u_));
      const Bounded rest{1 - update[at].v, update[at].e + u_};
      h[at] = plus(times(rest, candidate, u_), times(update[at], h_[at], u_), u_);
    }
    h_ = std::move(h);
  }

  void take_rnn(std::int64_t step) {
    Row h(h_.size());
    for (std::int64_t j = 0; j < extents_.hidden; ++j) h[static_cast<std::size_t>(j)] = activated(0, all_of_gate(step, 0, j));
    h_ = std::move(h);
  }

  const NodeCall& call_;
  Recurrence recurrence_;
  RecurrenceExtents extents_;
  Rounding rounding_;
  double u_;
  std::size_t direction_ = 0;
  std::int64_t sequence_ = 0;
  Row h_, c_;
};

Status recur(const NodeCall& call) {
  FL_TRY(Recurrence recurrence, recurrence_of(call.node.op, call.node.attributes, call.node.inputs.size()));
  RecurrenceEvaluator(call, std::move(recurrence)).evaluate();
  return {};
}

}  // namespace

// A step needs the state that all steps before it made.
constexpr Family<Op::kLSTM, Op::kBatchNormalization> kRecurrences({
    {Op::kLSTM, recur},
    {Op::kGRU, recur},
    {Op::kRNN, recur},
});

}  // namespace fuselab::reference
