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
void differentiable(const NodeCall& call, Function f, Slope slope, Domain domain = {}) {
  const double u = rounding_of(call.output.dtype).accumulate;
  map_one(call, true, [=](Bounded x) {
    const double v = f(x.v);
    const double own = kTranscendental * u * std::fabs(v);
    if (x.e == 0) return Bounded{v, own};
    if (!domain.holds(x)) return Bounded{v, kUnbounded};
    return Bounded{v, own + x.e * std::fabs(slope(x.v, v))};
  });
}

// An error that reaches the size of a large result reaches the pole beside it.
void tangent(const NodeCall& call) {
  const double u = rounding_of(call.output.dtype).accumulate;
  map_one(call, true, [=](Bounded x) {
    const double v = std::tan(x.v);
    const double carried = x.e > 0 ? x.e * (1 + v * v) : 0;
    const bool at_pole = std::fabs(v) > 1 && carried * kUnit >= std::fabs(v);
    return Bounded{v, at_pole ? kUnbounded : carried + kTranscendental * u * std::fabs(v)};
  });
}

}  // namespace

void evaluate_trigonometry(const NodeCall& call) {
  const auto circle = [](double x, double) { return 1 / std::sqrt((1 - x) * (1 + x)); };
  switch (call.node.op) {
    case Op::kSin:
      return differentiable(
          call, [](double x) { return std::sin(x); }, [](double x, double) { return std::cos(x); });
    case Op::kCos:
      return differentiable(
          call, [](double x) { return std::cos(x); }, [](double x, double) { return std::sin(x); });
    case Op::kTan: return tangent(call);
    case Op::kAsin: return differentiable(call, [](double x) { return std::asin(x); }, circle, {-1, 1});
    case Op::kAcos: return differentiable(call, [](double x) { return std::acos(x); }, circle, {-1, 1});
    case Op::kAtan:
      return differentiable(
          call, [](double x) { return std::atan(x); }, [](double x, double) { return 1 / (1 + x * x); });
    case Op::kSinh:
      return differentiable(
          call, [](double x) { return std::sinh(x); }, [](double x, double) { return std::cosh(x); });
    case Op::kCosh:
      return differentiable(
          call, [](double x) { return std::cosh(x); }, [](double x, double) { return std::sinh(x); });
    case Op::kAsinh:
      return differentiable(
          call, [](double x) { return std::asinh(x); }, [](double x, double) { return 1 / std::hypot(1, x); });
    case Op::kAcosh:
      return differentiable(
          call, [](double x) { return std::acosh(x); }, [](double x, double) { return 1 / std::sqrt((x - 1) * (x + 1)); },
          {1, kUnbounded});
    case Op::kAtanh:
      return differentiable(
          call, [](double x) { return std::atanh(x); }, [](double x, double) { return 1 / ((1 - x) * (1 + x)); }, {-1, 1});
    default: FL_ASSERT(false);
  }
}

}  // namespace fuselab::reference
