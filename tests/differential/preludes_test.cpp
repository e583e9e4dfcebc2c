// SPDX-License-Identifier: Apache-2.0
// The error bounds that the preludes document, against the C library in double (for f32) and long double (for f64).
#include <functional>
#include <optional>

#include "tests/differential/prelude_run.h"

namespace fuselab::testing {
namespace {

using Real = long double;

struct Range {
  double low, high;
};

struct Bound {
  const char* name;
  const char* call;  // of x, or of x and z
  Range x;
  double ulp;  // as documented in resources/kernels/c
  std::function<Real(Real, Real)> exact;
  std::optional<Range> z = {};
  // What a rounded argument adds, in ulp: documented beside the bound.
  std::function<double(double)> more = [](double) { return 0.0; };
  std::optional<double> float_ulp = {};  // where float keeps a closer one
  std::string before = {};               // statements before the call

  double of(std::size_t bytes) const { return bytes == sizeof(float) ? float_ulp.value_or(ulp) : ulp; }

  friend void PrintTo(const Bound& bound, std::ostream* out) { *out << bound.name; }
};

Real sigmoid(Real x) {
  return 1 / (1 + expl(-x));
}

Real turned(Real x) {  // 2u of gelu_tanh
  return 2 * sqrtl(2 / acosl(-1.0L)) * (x + 0.044715L * x * x * x);
}

// Below zero, sigmoid hands the rounding of its argument on, as many times as the argument is large.
double bend(Real argument) {
  return static_cast<double>(fabsl(argument) * (1 - sigmoid(argument)));
}

Real power(Real x, Real z) {
  return powl(x, z);
}

double none(double) {
  return 0;
}

const std::vector<Bound>& bounds() {
  static const std::vector<Bound> table = {
      {"Exp", "Exp(x)", {-87, 88}, 2, [](Real x, Real) { return expl(x); }},
      {"Log", "Log(x)", {1e-30, 1e30}, 2, [](Real x, Real) { return logl(x); }},
      {"LogNearOne", "Log(x)", {0.5, 2}, 2, [](Real x, Real) { return logl(x); }},
      {"Tanh", "Tanh(x)", {-10, 10}, 3, [](Real x, Real) { return tanhl(x); }},
      {"Sigmoid", "Sigmoid(x)", {-80, 80}, 3, [](Real x, Real) { return sigmoid(x); }},
      {"Erf", "Erf(x)", {-5, 5}, 3, [](Real x, Real) { return erfl(x); }},
      {"Gelu", "Gelu(x)", {-9, 9}, 8, [](Real x, Real) { return x * 0.5L * erfcl(-x / sqrtl(2.0L)); }},
      {"GeluTanh",
       "Gelu(x, approximate=\"tanh\")",
       {-7, 9},
       5,
       [](Real x, Real) { return x * sigmoid(turned(x)); },
       {},
       [](double x) { return 2.5 * bend(turned(x)); }},
      {"Swish", "Swish(x)", {-80, 80}, 4, [](Real x, Real) { return x * sigmoid(x); }},
      {"SwishScaled",
       "Swish(x, alpha=1.75)",
       {-40, 40},
       4,
       [](Real x, Real) { return x * sigmoid(1.75L * x); },
       {},
       [](double x) { return bend(1.75L * x); }},
      {"Sin", "Sin(x)", {-1e4, 1e4}, 3, [](Real x, Real) { return sinl(x); }},
      {"SinHuge", "Sin(x)", {1e10, 1e38}, 3, [](Real x, Real) { return sinl(x); }},
      {"Cos", "Cos(x)", {-1e4, 1e4}, 3, [](Real x, Real) { return cosl(x); }},
      {"Tan", "Tan(x)", {-1e4, 1e4}, 5, [](Real x, Real) { return tanl(x); }},
      {"Asin", "Asin(x)", {-1, 1}, 4, [](Real x, Real) { return asinl(x); }},
      {"Acos", "Acos(x)", {-1, 1}, 4, [](Real x, Real) { return acosl(x); }},
      {"Atan", "Atan(x)", {-9, 9}, 1, [](Real x, Real) { return atanl(x); }},
      {"Sinh", "Sinh(x)", {-80, 80}, 5, [](Real x, Real) { return sinhl(x); }},
      {"Cosh", "Cosh(x)", {-80, 80}, 5, [](Real x, Real) { return coshl(x); }},
      {"Asinh", "Asinh(x)", {-5, 5}, 6, [](Real x, Real) { return asinhl(x); }},
      {"Acosh", "Acosh(x)", {1.0000001, 1e10}, 6, [](Real x, Real) { return acoshl(x); }},
      {"Atanh", "Atanh(x)", {-0.999, 0.999}, 6, [](Real x, Real) { return atanhl(x); }},
      {"Sqrt", "Sqrt(x)", {1e-30, 1e30}, 0.5, [](Real x, Real) { return sqrtl(x); }},
      {"Reciprocal", "Reciprocal(x)", {1e-30, 1e30}, 0.5, [](Real x, Real) { return 1 / x; }},
      {"Pow", "Pow(x, z)", {1e-3, 1e3}, 0.8, power, Range{-10, 10}, none, 0.501},
      {"PowNearOne", "Pow(x, z)", {0.875, 1.125}, 0.8, power, Range{-300, 300}, none, 0.501},
      {"PowOfOneAndALittle", "Pow(x, z)", {0.9999, 1.0001}, 0.8, power, Range{-8e5, 8e5}, none, 0.501},
      {"PowLarge", "Pow(x, z)", {1e-30, 1e30}, 0.8, power, Range{-1.2, 1.2}, none, 0.501},
      {"PowRoot",
       "Pow(x, e)",
       {1e-30, 1e30},
       0.8,
       [](Real x, Real) { return sqrtl(x); },
       {},
       none,
       0.501,
       "e = Constant(value=0.5); "},
      {"PowSquare", "Pow(x, e)", {1e-15, 1e15}, 0.5, [](Real x, Real) { return x * x; }, {}, none, {}, "e = Constant(value=2.0); "},
      {"PowCube",
       "Pow(x, e)",
       {1e-10, 1e10},
       1.3,
       [](Real x, Real) { return x * x * x; },
       {},
       none,
       {},
       "e = Constant(value=3.0); "},
      {"PowFourth",
       "Pow(x, e)",
       {1e-8, 1e8},
       2,
       [](Real x, Real) { return x * x * x * x; },
       {},
       none,
       {},
       "e = Constant(value=4.0); "},
  };
  return table;
}

constexpr std::int64_t kPoints = 200'000;

// Evenly over the range, or over its logarithm when it spans magnitudes.
template <typename T>
std::vector<T> points_in(Range range, std::int64_t stride) {
  std::vector<T> points;
  const bool logarithmic = range.low > 0 && range.high / range.low > 100;
  for (std::int64_t i = 0; i < kPoints; ++i) {
    const double t = static_cast<double>(i * stride % kPoints) / static_cast<double>(kPoints - 1);
    points.push_back(
        static_cast<T>(logarithmic ? range.low * std::pow(range.high / range.low, t) : range.low + (range.high - range.low) * t));
  }
  return points;
}

template <typename T>
std::string text_of(const Bound& bound) {
  const std::string type = (sizeof(T) == 8 ? "f64[" : "f32[") + std::to_string(kPoints) + "]";
  return "graph(x: " + type + (bound.z ? ", z: " + type : "") + ") { " + bound.before + "y = " + bound.call + "; return y }";
}

template <typename T>
void sweep(const Bound& bound) {
  if (const Availability usable = make_cpu_backend()->probe(); !usable.usable) GTEST_SKIP() << usable.reason;
  std::vector<std::vector<T>> inputs = {points_in<T>(bound.x, 1)};
  constexpr std::int64_t kScattered = 7919;  // so that every z meets every x
  if (bound.z) inputs.push_back(points_in<T>(*bound.z, kScattered));
  const std::vector<T> y = computed(text_of<T>(bound), inputs);
  double worst = 0;  // as a share of what is allowed
  std::size_t at = 0;
  for (std::size_t i = 0; i < y.size(); ++i) {
    const Real x = inputs.front()[i];
    const double error = ulps(y[i], bound.exact(x, inputs.back()[i]));
    const double share = error / (bound.of(sizeof(T)) + bound.more(static_cast<double>(x)));
    if (!(share <= worst)) {
      worst = share;
      at = i;
    }
  }
  const double exact = static_cast<double>(bound.exact(inputs.front()[at], inputs.back()[at]));
  EXPECT_LE(worst, 1) << bound.call << " at " << inputs.front()[at] << ", " << inputs.back()[at] << ": " << y[at] << ", exactly "
                      << exact;
  ::testing::Test::RecordProperty("worst_share_of_bound", std::to_string(worst));
}

class Preludes : public ::testing::TestWithParam<Bound> {};

TEST_P(Preludes, KeepTheirBoundInFloat) {
  sweep<float>(GetParam());
}

TEST_P(Preludes, KeepTheirBoundInDouble) {
  sweep<double>(GetParam());
}

INSTANTIATE_TEST_SUITE_P(Functions, Preludes, ::testing::ValuesIn(bounds()), [](const auto& each) { return each.param.name; });

}  // namespace
}  // namespace fuselab::testing
