// SPDX-License-Identifier: Apache-2.0
// The error bounds that the preludes document, against the C library in double (for f32) and long double (for f64).
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <functional>

#include "backends/cpu/cpu_backend.h"
#include "core/graph/graph_text.h"
#include "tests/differential/kernel_trial.h"

namespace fuselab::testing {
namespace {

struct Bound {
  const char* op;
  double low, high;
  double ulp;  // as documented in resources/kernels/c
  std::function<long double(long double)> exact;
};

const std::vector<Bound>& bounds() {
  static const std::vector<Bound> table = {
      {"Exp", -87, 88, 2, [](long double x) { return expl(x); }},
      {"Log", 1e-30, 1e30, 2, [](long double x) { return logl(x); }},
      {"Log", 0.5, 2, 2, [](long double x) { return logl(x); }},
      {"Tanh", -10, 10, 3, [](long double x) { return tanhl(x); }},
      {"Sigmoid", -80, 80, 3, [](long double x) { return 1 / (1 + expl(-x)); }},
      {"Erf", -5, 5, 3, [](long double x) { return erfl(x); }},
      {"Gelu", -9, 9, 8, [](long double x) { return x * 0.5L * erfcl(-x / sqrtl(2.0L)); }},
  };
  return table;
}

// Distance to the exact value in units of the last place of the result's type.
template <typename T>
double ulps(T actual, long double exact) {
  const T rounded = static_cast<T>(exact);
  const T next = std::nextafter(std::fabs(rounded), std::numeric_limits<T>::infinity());
  return static_cast<double>(fabsl(static_cast<long double>(actual) - exact) /
                             (static_cast<long double>(next) - std::fabs(rounded)));
}

template <typename T>
void sweep(const Bound& bound, const char* dtype) {
  constexpr std::int64_t kPoints = 200'000;
  const auto backend = make_cpu_backend();
  if (const Availability usable = backend->probe(); !usable.usable) GTEST_SKIP() << usable.reason;
  const DeviceInfo device = backend->enumerate().value().front();
  const std::string text =
      std::string("graph(x: ") + dtype + "[" + std::to_string(kPoints) + "]) { y = " + bound.op + "(x); return y }";
  const Graph graph = parse_graph(text).value();
  const LaunchConfig config = backend->generator()->default_config(graph, device.target);
  const auto kernel = compile_kernel(*backend, graph, config, device.target, OptimizationLevel::kO2, {});
  ASSERT_TRUE(kernel.ok()) << kernel.error().message;
  std::vector<T> x(kPoints), y(kPoints);
  const bool logarithmic = bound.low > 0 && bound.high / bound.low > 100;
  for (std::int64_t i = 0; i < kPoints; ++i) {
    const double t = static_cast<double>(i) / static_cast<double>(kPoints - 1);
    x[static_cast<std::size_t>(i)] =
        static_cast<T>(logarithmic ? bound.low * std::pow(bound.high / bound.low, t) : bound.low + (bound.high - bound.low) * t);
  }
  auto runtime = backend->open(device).value();
  auto executable = runtime->load(kernel.value()).value();
  const Bytes size{static_cast<std::int64_t>(kPoints * sizeof(T))};
  const Buffer buffers[] = {runtime->allocate(size, BufferRole::kIn).value(), runtime->allocate(size, BufferRole::kOut).value()};
  ASSERT_TRUE(runtime->upload(buffers[0], std::as_bytes(std::span(x))).ok());
  ASSERT_TRUE(executable->enqueue(buffers).ok());
  ASSERT_TRUE(runtime->download(std::as_writable_bytes(std::span(y)), buffers[1]).ok());
  double worst = 0;
  T at = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    const double error = ulps(y[i], bound.exact(static_cast<long double>(x[i])));
    if (!(error <= worst)) {
      worst = error;
      at = x[i];
    }
  }
  EXPECT_LE(worst, bound.ulp) << bound.op << " " << dtype << " at " << at;
  ::testing::Test::RecordProperty("worst_ulp", std::to_string(worst));
}

class Preludes : public ::testing::TestWithParam<std::size_t> {};

TEST_P(Preludes, KeepTheirBoundInFloat) {
  sweep<float>(bounds()[GetParam()], "f32");
}

TEST_P(Preludes, KeepTheirBoundInDouble) {
  sweep<double>(bounds()[GetParam()], "f64");
}

INSTANTIATE_TEST_SUITE_P(Functions, Preludes, ::testing::Range<std::size_t>(0, 7),
                         [](const auto& each) { return std::string(bounds()[each.param].op) + std::to_string(each.param); });

}  // namespace
}  // namespace fuselab::testing
