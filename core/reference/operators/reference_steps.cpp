// SPDX-License-Identifier: Apache-2.0
#include "core/reference/operators/reference_maps.h"

// These operators jump. Their results at the ends of an operand's reach, and at the jump where it lies between, bound the error.
namespace fuselab::reference {
namespace {

double sign(double x) {
  if (std::isnan(x)) return x;
  return x > 0 ? 1 : (x < 0 ? -1 : 0);
}

template <typename Step>
Status step(const NodeCall& call, double jump, Step give) {
  return map_one(call, !is_floating(call.output.dtype), [=](Bounded x) {
    const double v = give(x.v);
    if (x.e == 0) return Bounded{v, 0};
    const double low = x.v - x.e * kUnit, high = x.v + x.e * kUnit;
    double error = std::max(std::fabs(give(low) - v), std::fabs(give(high) - v));
    if (low <= jump && jump <= high) error = std::max(error, std::fabs(give(jump) - v));
    return Bounded{v, may_differ_by(error)};
  });
}

// The remainder with the divisor's sign, as Python has it; C's has the dividend's. Integers divided by zero leave nothing.
double remainder_of(double a, double b, bool as_in_c, bool whole) {
  if (whole && b == 0) return 0;
  const double rest = std::fmod(a, b);
  return !as_in_c && rest != 0 && (rest < 0) != (b < 0) ? rest + b : rest;
}

Status modulo(const NodeCall& call) {
  const bool as_in_c = call.node.attributes.integer("fmod", 0) != 0;
  const bool whole = !is_floating(call.output.dtype);
  return map_two(call, [=](Bounded a, Bounded b) {
    const double v = remainder_of(a.v, b.v, as_in_c, whole);
    if (a.e == 0 && b.e == 0) return Bounded{v, 0};
    if (uncertain(b)) return Bounded{v, kUnbounded};
    const double carried = a.e + std::fabs(std::trunc(a.v / b.v)) * b.e;
    const bool wraps = std::min(std::fabs(v), std::fabs(b.v) - std::fabs(v)) <= carried * kUnit;
    return Bounded{v, carried + (wraps ? may_differ_by(b.v) : 0.0)};
  });
}

Status shrink(const NodeCall& call) {
  const double bias = call.node.attributes.real("bias", 0), edge = call.node.attributes.real("lambd", 0.5);
  return map_one(call, true, [=](Bounded x) {
    const auto give = [&](double at) {
      if (std::isnan(at)) return at;
      return at < -edge ? at + bias : (at > edge ? at - bias : 0.0);
    };
    const double v = give(x.v);
    if (x.e == 0) return Bounded{v, 0};
    const double low = x.v - x.e * kUnit, high = x.v + x.e * kUnit;
    const double between = give(std::min(std::max(0.0, low), high));
    const double error = std::max({std::fabs(give(low) - v), std::fabs(give(high) - v), std::fabs(between - v)});
    return Bounded{v, may_differ_by(error)};
  });
}

Status threshold(const NodeCall& call) {
  const double alpha = call.node.attributes.real("alpha", 1);
  return step(call, alpha, [alpha](double x) { return x > alpha || std::isnan(x) ? x : 0.0; });
}

}  // namespace

constexpr Family<Op::kFloor, Op::kIsNaN, Op::kShrink, Op::kAdd, Op::kMod, Op::kReduceSum> kSteps({
    each(Op::kFloor, [](const NodeCall& call) { return step(call, 0, [](double x) { return std::floor(x); }); }),
    each(Op::kCeil, [](const NodeCall& call) { return step(call, 0, [](double x) { return std::ceil(x); }); }),
    each(Op::kRound, [](const NodeCall& call) { return step(call, 0, [](double x) { return std::nearbyint(x); }); }),
    each(Op::kSign, [](const NodeCall& call) { return step(call, 0, sign); }),
    each(Op::kShrink, shrink),
    each(Op::kThresholdedRelu, threshold),
    each(Op::kMod, modulo),
});

}  // namespace fuselab::reference
