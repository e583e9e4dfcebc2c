// SPDX-License-Identifier: Apache-2.0
#include "core/reference/operators/reference_maps.h"

// Circular and hyperbolic functions with their inverses.
namespace fuselab::reference {
namespace {

// Holds the range in which a function is defined; an operand whose error reaches beyond it may become NaN in a kernel.
struct Domain {
  double least = -kUnbounded;
  double most = kUnbounded;
  bool holds(Bounded x) const { return x.v - x.e * kUnit >= least && x.v + x.e * kUnit <= most; }
};

// `slope` is the derivative, given the operand and the result.
template <typename Function, typename Slope>
Status differentiable(const NodeCall& call, Function f, Slope slope, Domain domain = {}) {
  const double u = rounding_error(call);
  return map_one(call, true, [=](Bounded x) {
    const double v = f(x.v);
    const double own = kTranscendental * u * std::fabs(v);
    if (x.e == 0) return Bounded{v, own};
    if (!domain.holds(x)) return Bounded{v, kUnbounded};
    return Bounded{v, own + x.e * std::fabs(slope(x.v, v))};
  });
}

// An error that reaches the size of a large result reaches the pole beside it.
Status tangent(const NodeCall& call) {
  const double u = rounding_error(call);
  return map_one(call, true, [=](Bounded x) {
    const double v = std::tan(x.v);
    const double carried = x.e > 0 ? x.e * (1 + v * v) : 0;
    const bool at_pole = std::fabs(v) > 1 && carried * kUnit >= std::fabs(v);
    return Bounded{v, at_pole ? kUnbounded : carried + kTranscendental * u * std::fabs(v)};
  });
}

// The derivative of Asin, and of Acos but for its sign.
double circle(double x, double) {
  return 1 / std::sqrt((1 - x) * (1 + x));
}

}  // namespace

constexpr Family<Op::kSin, Op::kFloor> kTrigonometry({
    each(Op::kSin,
         [](const NodeCall& call) {
           return differentiable(
               call, [](double x) { return std::sin(x); }, [](double x, double) { return std::cos(x); });
         }),
    each(Op::kCos,
         [](const NodeCall& call) {
           return differentiable(
               call, [](double x) { return std::cos(x); }, [](double x, double) { return std::sin(x); });
         }),
    each(Op::kTan, tangent),
    each(Op::kAsin,
         [](const NodeCall& call) {
           return differentiable(call, [](double x) { return std::asin(x); }, circle, {-1, 1});
         }),
    each(Op::kAcos,
         [](const NodeCall& call) {
           return differentiable(call, [](double x) { return std::acos(x); }, circle, {-1, 1});
         }),
    each(Op::kAtan,
         [](const NodeCall& call) {
           return differentiable(
               call, [](double x) { return std::atan(x); }, [](double x, double) { return 1 / (1 + x * x); });
         }),
    each(Op::kSinh,
         [](const NodeCall& call) {
           return differentiable(
               call, [](double x) { return std::sinh(x); }, [](double x, double) { return std::cosh(x); });
         }),
    each(Op::kCosh,
         [](const NodeCall& call) {
           return differentiable(
               call, [](double x) { return std::cosh(x); }, [](double x, double) { return std::sinh(x); });
         }),
    each(Op::kAsinh,
         [](const NodeCall& call) {
           return differentiable(
               call, [](double x) { return std::asinh(x); }, [](double x, double) { return 1 / std::hypot(1, x); });
         }),
    each(Op::kAcosh,
         [](const NodeCall& call) {
           return differentiable(
               call, [](double x) { return std::acosh(x); }, [](double x, double) { return 1 / std::sqrt((x - 1) * (x + 1)); },
               {1, kUnbounded});
         }),
    each(Op::kAtanh,
         [](const NodeCall& call) {
           return differentiable(
               call, [](double x) { return std::atanh(x); }, [](double x, double) { return 1 / ((1 - x) * (1 + x)); }, {-1, 1});
         }),
});

}  // namespace fuselab::reference
