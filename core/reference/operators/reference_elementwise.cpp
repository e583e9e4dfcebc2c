// SPDX-License-Identifier: Apache-2.0
#include <numbers>

#include "core/reference/operators/reference_maps.h"
#include "core/tensor/small_float.h"

// Each rule gives the value and carries the operands' errors through the first derivative; NodeCall::put adds the rounding.
namespace fuselab::reference {
namespace {

double sigmoid(double x) {
  return 1 / (1 + std::exp(-x));
}

// Returns the error of the factor of x/2: 1 + t is computed by itself or from t, and near x = 0 t vanishes while 1 + t does not.
double factor_error(double t) {
  return kTranscendental * std::max(std::fabs(t), std::fabs(1 + t));
}

Bounded gelu(Bounded x, double accumulate) {
  const double t = std::erf(x.v * std::numbers::sqrt2 / 2);
  const double half = 0.5 * x.v;
  const double own = std::fabs(half) * factor_error(t) * accumulate;
  if (x.e == 0) return {half * (1 + t), own};
  const double density = std::exp(-0.5 * x.v * x.v) * std::numbers::inv_sqrtpi / std::numbers::sqrt2;
  return {half * (1 + t), own + x.e * std::fabs(0.5 * (1 + t) + x.v * density)};
}

Bounded gelu_tanh(Bounded x, double accumulate) {
  const double scale = std::sqrt(2 / std::numbers::pi);
  const double inner = scale * (x.v + 0.044715 * x.v * x.v * x.v);
  const double t = std::tanh(inner);
  const double half = 0.5 * x.v;
  const double flat = 1 - t * t;
  const double own = std::fabs(half) * (factor_error(t) + 4 * (flat > 0 ? std::fabs(inner) * flat : 0)) * accumulate;
  const double slope = 0.5 * (1 + t) + (flat > 0 ? half * flat * scale * (1 + 3 * 0.044715 * x.v * x.v) : 0);
  return {half * (1 + t), own + x.e * std::fabs(slope)};
}

// `flushed`: sigmoids this small may be flushed to zero, and are multiplied by x.
Bounded swish(Bounded x, double alpha, double accumulate, double flushed) {
  const double s = sigmoid(alpha * x.v);
  const double v = x.v * s;
  const double bend = std::fabs(alpha * v * (1 - s));
  const double own = accumulate * (kTranscendental * std::fabs(v) + bend * std::fabs(x.v)) + flushed * std::fabs(x.v);
  return {v, x.e * (s + bend) + own};
}

Bounded divide(Bounded a, Bounded b, double accumulate) {
  const double v = a.v / b.v;
  if (uncertain(b)) return {v, kUnbounded};
  if (a.e == 0 && b.e == 0) return {v, accumulate * std::fabs(v)};
  return {v, (a.e + std::fabs(v) * b.e) / std::fabs(b.v) + accumulate * std::fabs(v)};
}

Bounded power(Bounded a, Bounded b, double accumulate) {
  const double v = std::pow(a.v, b.v);
  if (a.v == 0) return {v, a.e > 0 ? std::pow(a.e * kUnit, b.v) / kUnit : 0.0};
  if (uncertain(a) && b.v < 0) return {v, kUnbounded};
  const double log = std::log(std::fabs(a.v));
  const double own = accumulate * (kTranscendental + std::fabs(b.v * log)) * std::fabs(v);
  return {v, own + std::fabs(b.v * v / a.v) * a.e + std::fabs(v * log) * b.e};
}

// Wraps a whole number as ONNX' table of Cast has it between integers: the higher bits go, the others are read anew.
double wrapped(DType to, double whole) {
  const double all = std::ldexp(1.0, static_cast<int>(bits_of(to)));
  const double below = is_unsigned(to) ? all : all / 2;  // the first number too large
  if (whole < below && whole >= below - all) return whole;
  const double rest = std::fmod(whole, all);
  const double positive = rest < 0 ? rest + all : rest;
  return positive < below ? positive : positive - all;
}

// Returns what the output's type keeps of a result: an integer one wraps, as it does in kernels. `is_exact`: no double was rounded
// on the way, so that the lower bits are known.
Bounded kept(const NodeCall& call, Bounded x, bool is_exact = true) {
  if (is_floating(call.output.dtype)) return x;
  const double v = wrapped(call.output.dtype, x.v);
  if (v == x.v || std::isnan(v)) return x;
  return {v, is_exact && x.e == 0 ? 0 : kUnbounded};
}

// The same for sums and products.
Bounded kept_sum(const NodeCall& call, Bounded x) {
  return kept(call, x, std::fabs(x.v) <= 0x1p53);
}

Bounded cast(Bounded x, DType from, DType to) {
  if (to == DType::kBool) return {x.v != 0 ? 1.0 : 0.0, uncertain(x) ? may_differ_by(1) : 0.0};
  if (is_floating(to)) {
    const bool saturates = to == DType::kF8E4M3 && !std::isnan(x.v);
    const double most = detail::largest_of(to);
    return {saturates ? std::clamp(x.v, -most, most) : x.v, x.e};
  }
  if (!is_floating(from)) {
    const double error = x.e * kUnit;
    const bool jumps = x.e > 0 && wrapped(to, x.v + error) - wrapped(to, x.v - error) != 2 * error;
    return {wrapped(to, x.v), jumps ? kUnbounded : x.e};
  }
  // ONNX leaves open what becomes of a number that the integer cannot hold.
  const double whole = std::trunc(x.v), most = detail::largest_of(to), least = detail::lowest_of(to);
  if (std::isfinite(whole) && (whole < least || whole > most)) return {std::clamp(whole, least, most), kUnbounded};
  return {whole, x.e > 0 ? x.e + 1 / kUnit : 0};  // an error may carry the value over an integer
}

Bounded smaller(Bounded a, Bounded b) {
  const double v = std::isnan(a.v) || a.v < b.v ? a.v : b.v;
  return {v, std::max(a.e, b.e)};
}

Bounded larger(Bounded a, Bounded b) {
  const double v = std::isnan(a.v) || a.v > b.v ? a.v : b.v;
  return {v, std::max(a.e, b.e)};
}

template <Bounded (*rule)(Bounded, Bounded)>
Status fold(const NodeCall& call) {
  std::vector<BroadcastIndex> index;
  for (const Tensor* input : call.inputs) index.emplace_back(call.output.extents, input->extents);
  call.needed.for_each(call.output.count(), [&](std::int64_t i) {
    Bounded result = call.operand(0, index[0](i));
    for (std::size_t k = 1; k < index.size(); ++k) result = rule(call.operand(k, index[k](i)), result);
    call.put_copy(i, result);
  });
  return {};
}

Status choose(const NodeCall& call) {
  const BroadcastIndex condition(call.output.extents, call.input(0).extents);
  const BroadcastIndex yes(call.output.extents, call.input(1).extents);
  const BroadcastIndex no(call.output.extents, call.input(2).extents);
  call.needed.for_each(call.output.count(), [&](std::int64_t i) {
    const Bounded taken = call.operand(0, condition(i));
    const Bounded first = call.operand(1, yes(i)), second = call.operand(2, no(i));
    Bounded result = taken.v != 0 ? first : second;
    if (taken.e > 0) result.e = std::max(first.e, second.e) + std::fabs(first.v - second.v) / kUnit;
    call.put_copy(i, result);
  });
  return {};
}

Status clip(const NodeCall& call) {
  const double low = call.node.attributes.real("min", -kUnbounded);
  const double high = call.node.attributes.real("max", kUnbounded);
  return map_one(call, false, [=](Bounded x) { return std::isnan(x.v) ? x : Bounded{std::min(std::max(x.v, low), high), x.e}; });
}

Status divide_all(const NodeCall& call) {
  const double u = rounding_error(call);
  if (is_floating(call.output.dtype)) return map_two(call, [u](Bounded a, Bounded b) { return divide(a, b, u); });
  return map_two(call, [&](Bounded a, Bounded b) { return kept(call, {b.v == 0 ? 0 : std::trunc(a.v / b.v), a.e + b.e}); });
}

Status exponential(const NodeCall& call) {
  return map_one(call, true, [u = rounding_error(call)](Bounded x) {
    const double v = std::exp(x.v);
    return Bounded{v, v > 0 ? v * (x.e + kTranscendental * u) : 0};
  });
}

Status logarithm(const NodeCall& call) {
  return map_one(call, true, [u = rounding_error(call)](Bounded x) {
    const double v = std::log(x.v);
    return Bounded{v, uncertain(x) ? kUnbounded : (x.e > 0 ? x.e / std::fabs(x.v) : 0) + kTranscendental * u * std::fabs(v)};
  });
}

Status square_root(const NodeCall& call) {
  return map_one(call, true, [](Bounded x) {
    const double v = std::sqrt(x.v);
    return Bounded{v, x.e > 0 ? std::min(x.e / (2 * v), std::sqrt(x.e * kUnit) / kUnit) : 0};
  });
}

Status error_function(const NodeCall& call) {
  return map_one(call, true, [u = rounding_error(call)](Bounded x) {
    const double v = std::erf(x.v);
    const double slope = x.e > 0 ? 2 * std::numbers::inv_sqrtpi * std::exp(-x.v * x.v) : 0;
    return Bounded{v, x.e * slope + kTranscendental * u * std::fabs(v)};
  });
}

Status hyperbolic_tangent(const NodeCall& call) {
  return map_one(call, true, [u = rounding_error(call)](Bounded x) {
    const double v = std::tanh(x.v);
    return Bounded{v, x.e * (1 - v * v) + kTranscendental * u * std::fabs(v)};
  });
}

Status sigmoid_all(const NodeCall& call) {
  return map_one(call, true, [u = rounding_error(call)](Bounded x) {
    const double v = sigmoid(x.v);
    return Bounded{v, x.e * v * (1 - v) + kTranscendental * u * v};
  });
}

Status leaky_relu(const NodeCall& call) {
  return map_one(call, true, [alpha = call.node.attributes.real("alpha", 0.01)](Bounded x) {
    return Bounded{x.v < 0 ? alpha * x.v : x.v, x.e * std::max(1.0, std::fabs(alpha))};
  });
}

Status gelu_all(const NodeCall& call) {
  const double u = rounding_error(call);
  if (call.node.attributes.text("approximate", "none") == "tanh")
    return map_one(call, true, [u](Bounded x) { return gelu_tanh(x, u); });
  return map_one(call, true, [u](Bounded x) { return gelu(x, u); });
}

Status swish_all(const NodeCall& call) {
  const double flushed = rounding_of(call.output.dtype == DType::kF64 ? DType::kF64 : DType::kF32).underflow;
  return map_one(call, true, [u = rounding_error(call), flushed, alpha = call.node.attributes.real("alpha", 1)](Bounded x) {
    return swish(x, alpha, u, flushed);
  });
}

Status multiply(const NodeCall& call) {
  return map_two(call, [&](Bounded a, Bounded b) {
    return kept_sum(call, {a.v * b.v, std::fabs(a.v) * b.e + std::fabs(b.v) * a.e + kUnit * a.e * b.e});
  });
}

// Works on whole numbers; one below 0 has the bits of 64 with a sign.
double common_bits(double a, double b) {
  constexpr double kMost = 9223372036854774784.0;  // the largest double that 64 bits with a sign hold
  if (a >= 0 && b >= 0) return static_cast<double>(static_cast<std::uint64_t>(a) & static_cast<std::uint64_t>(b));
  return static_cast<double>(static_cast<std::int64_t>(std::min(a, kMost)) & static_cast<std::int64_t>(std::min(b, kMost)));
}

// An error of an operand may change every bit, and so does the rounding of a number that a double does not hold.
Status bitwise_and(const NodeCall& call) {
  return map_two(call, [](Bounded a, Bounded b) {
    const bool exact = a.e == 0 && b.e == 0 && std::max(std::fabs(a.v), std::fabs(b.v)) <= 0x1p53;
    return Bounded{common_bits(a.v, b.v), exact ? 0 : kUnbounded};
  });
}

}  // namespace

constexpr Family<Op::kIdentity, Op::kSin, Op::kAdd, Op::kEqual> kElementwise({
    each(Op::kIdentity, [](const NodeCall& call) { return map_one(call, false, [](Bounded x) { return x; }); }),
    each(Op::kNeg, [](const NodeCall& call) { return map_one(call, false, [&](Bounded x) {
                                                return kept(call, {-x.v, x.e});
                                              }); }),
    each(Op::kAbs,
         [](const NodeCall& call) { return map_one(call, false, [&](Bounded x) {
                                      return kept(call, {std::fabs(x.v), x.e});
                                    }); }),
    each(Op::kExp, exponential),
    each(Op::kLog, logarithm),
    each(Op::kSqrt, square_root),
    each(Op::kReciprocal,
         [](const NodeCall& call) {
           return map_one(call, true, [u = rounding_error(call)](Bounded x) { return divide({1, 0}, x, u); });
         }),
    each(Op::kErf, error_function),
    each(Op::kTanh, hyperbolic_tangent),
    each(Op::kSigmoid, sigmoid_all),
    each(Op::kRelu,
         [](const NodeCall& call) { return map_one(call, false, [](Bounded x) {
                                      return Bounded{x.v < 0 ? 0 : x.v, x.e};
                                    }); }),
    each(Op::kLeakyRelu, leaky_relu),
    each(Op::kGelu, gelu_all),
    each(Op::kSwish, swish_all),
    each(Op::kClip, clip),
    each(Op::kCast,
         [](const NodeCall& call) {
           return map_one(call, true,
                          [from = call.input(0).dtype, to = call.output.dtype](Bounded x) { return cast(x, from, to); });
         }),
    each(Op::kAdd,
         [](const NodeCall& call) {
           return map_two(call, [&](Bounded a, Bounded b) { return kept_sum(call, {a.v + b.v, a.e + b.e}); });
         }),
    each(Op::kSub,
         [](const NodeCall& call) {
           return map_two(call, [&](Bounded a, Bounded b) { return kept_sum(call, {a.v - b.v, a.e + b.e}); });
         }),
    each(Op::kMul, multiply),
    each(Op::kDiv, divide_all),
    each(Op::kPow,
         [](const NodeCall& call) {
           return map_two(call, [u = rounding_error(call)](Bounded a, Bounded b) { return power(a, b, u); });
         }),
    each(Op::kMin, fold<smaller>),
    each(Op::kMax, fold<larger>),
    each(Op::kWhere, choose),
    each(Op::kBitwiseAnd, bitwise_and),
});

}  // namespace fuselab::reference
