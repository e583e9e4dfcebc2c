// SPDX-License-Identifier: Apache-2.0
// The generated x^y beyond the range of preludes_test: every magnitude of both types, and the values that have rules of their own.
#include <random>

#include "tests/differential/prelude_run.h"

namespace fuselab::testing {
namespace {

template <typename T>
std::vector<T> powers(const std::vector<T>& x, const std::vector<T>& y) {
  const std::string type = (sizeof(T) == 8 ? "f64[" : "f32[") + std::to_string(x.size()) + "]";
  return computed<T>("graph(x: " + type + ", y: " + type + ") { z = Pow(x, y); return z }", {x, y});
}

// As resources/kernels/c/functions/pow_f32.h and functions_f64/pow_f64.h say.
template <typename T>
double documented_ulp(T result) {
  if (sizeof(T) == sizeof(float)) return 0.501;
  return std::fabs(result) < std::numeric_limits<T>::min() ? 1 : 0.8;
}

// x over all finite numbers, denormal ones too; y so that the results spread over all numbers, denormal ones too.
template <typename T>
void sweep_all_magnitudes() {
  using Limits = std::numeric_limits<T>;
  constexpr int kPairs = 200'000;
  std::mt19937_64 random(20261122);
  const auto in = [&](double low, double high) { return std::uniform_real_distribution<double>(low, high)(random); };
  std::vector<T> x;
  std::vector<T> y;
  while (x.size() < kPairs) {
    const T base = static_cast<T>(std::exp2(in(Limits::min_exponent - Limits::digits + 1, Limits::max_exponent - 1e-6)));
    const double logarithm = std::log2(static_cast<double>(base));
    if (logarithm == 0) continue;
    x.push_back(base);
    y.push_back(static_cast<T>(in(Limits::min_exponent - Limits::digits, Limits::max_exponent - 0.01) / logarithm));
  }
  const std::vector<T> z = powers(x, y);
  int denormals = 0;
  for (std::size_t i = 0; i < z.size(); ++i) {
    const long double exact = powl(x[i], y[i]);
    denormals += std::fpclassify(z[i]) == FP_SUBNORMAL;
    ASSERT_LE(ulps(z[i], exact), documented_ulp(z[i])) << x[i] << "^" << y[i] << " = " << z[i] << ", exactly " << exact;
  }
  EXPECT_GT(denormals, kPairs / 100);
}

// Bases and exponents that have rules of their own, each of both signs.
template <typename T>
std::vector<T> particular() {
  using Limits = std::numeric_limits<T>;
  const T even = std::ldexp(T(1), Limits::digits);  // from here on every number is
  std::vector<T> values = {0,
                           1,
                           2,
                           3,
                           5,
                           T(0.5),
                           T(1.5),
                           T(2.5),
                           T(1) / 3,
                           101,
                           Limits::infinity(),
                           Limits::quiet_NaN(),
                           Limits::max(),
                           Limits::min(),
                           Limits::denorm_min(),
                           std::nextafter(T(1), T(0)),
                           std::nextafter(T(1), T(2)),
                           even,
                           even - 1,
                           even + 2,
                           even / 2,
                           even / 2 + 1,
                           even / 2 - T(0.5),
                           even / 4 + T(0.5),
                           Limits::max_exponent,
                           Limits::max_exponent - 1,
                           -T(Limits::min_exponent - Limits::digits),
                           1 - T(Limits::min_exponent - Limits::digits)};
  const std::size_t count = values.size();
  for (std::size_t i = 0; i < count; ++i) values.push_back(-values[i]);
  return values;
}

template <typename T>
bool same_kind(T a, T b) {
  if (std::isnan(b)) return std::isnan(a);
  return std::fpclassify(a) == std::fpclassify(b) && std::signbit(a) == std::signbit(b);
}

template <typename T>
void compare_particular() {
  std::vector<T> x;
  std::vector<T> y;
  for (const T base : particular<T>()) {
    for (const T exponent : particular<T>()) {
      x.push_back(base);
      y.push_back(exponent);
    }
  }
  const std::vector<T> z = powers(x, y);
  for (std::size_t i = 0; i < z.size(); ++i) {
    const T expected = std::pow(x[i], y[i]);
    EXPECT_TRUE(same_kind(z[i], expected)) << x[i] << "^" << y[i] << " = " << z[i] << ", in C " << expected;
    if (!std::isfinite(expected) || expected == 0) continue;
    EXPECT_LE(ulps(z[i], powl(x[i], y[i])), documented_ulp(z[i])) << x[i] << "^" << y[i] << " = " << z[i];
  }
}

class GeneratedPower : public ::testing::Test {
 protected:
  void SetUp() override {
    if (const Availability usable = make_cpu_backend()->probe(); !usable.usable) GTEST_SKIP() << usable.reason;
  }
};

TEST_F(GeneratedPower, KeepsItsBoundAtAllMagnitudesInFloat) {
  sweep_all_magnitudes<float>();
}

TEST_F(GeneratedPower, KeepsItsBoundAtAllMagnitudesInDouble) {
  sweep_all_magnitudes<double>();
}

TEST_F(GeneratedPower, OfZerosOnesInfinitiesAndNaNsIsThatOfCInFloat) {
  compare_particular<float>();
}

TEST_F(GeneratedPower, OfZerosOnesInfinitiesAndNaNsIsThatOfCInDouble) {
  compare_particular<double>();
}

}  // namespace
}  // namespace fuselab::testing
