// SPDX-License-Identifier: Apache-2.0
// Every axis of the families for many threads that conformance otherwise runs with their default configuration alone: seeded
// configurations of each space, verified on the first OpenCL device.
#include <gtest/gtest.h>

#include <iterator>
#include <random>

#include "core/graph/graph_text.h"
#include "tests/conformance/backend_case.h"
#include "tests/conformance/kernel_run.h"

namespace fuselab::conformance {
namespace {

struct Sample {
  const char* name;
  const char* graph;
};

constexpr Sample kSamples[] = {
    {"MatMulBiasGelu",
     "graph(a: f32[17,37], b: param f32[37,48], c: param f32[48]) { v0 = MatMul(a, b); v1 = Add(v0, c); v2 = Gelu(v1); return v2 "
     "}"},
    {"BatchedMatMul", "graph(a: f16[3,5,16], b: f16[3,16,9]) { v0 = MatMul(a, b); return v0 }"},
    {"GemmTurnedBoth", "graph(a: f32[40,19], b: f32[33,40], c: f32[33]) { v0 = Gemm(a, b, c, transA=1, transB=1); return v0 }"},
    {"MatMulOfScaledWeights",
     "graph(a: f32[17,37], b: param f32[37,48], c: param f32[48], d: f32[37,1]) { s = Mul(b, c); t = Add(s, d); r = Relu(t); v = "
     "MatMul(a, r); "
     "return v }"},
    {"ConvolutionBehindRelu",
     "graph(x: f32[2,4,7,9], w: f32[6,2,3,3], k: f32[9]) { a = Add(x, k); r = Relu(a); y = Conv(r, w, group=2, pads=[1,1,1,1], "
     "strides=[1,2]); "
     "return y }"},
    {"PointwiseOfRowsBroadcast",
     "graph(x: f16[2,3,5,8], w: f16[5,3,1,1], k: f16[8]) { q = Add(x, k); y = Conv(q, w); z = Relu(y); return z }"},
    {"MatrixVector", "graph(a: f32[50,70], b: f32[70]) { v0 = MatMul(a, b); return v0 }"},
    {"ConvPaddedStrided",
     "graph(x: f32[2,3,9,11], w: param f32[8,3,3,3]) { v0 = Conv(x, w, pads=[1,1,1,1], strides=[2,2]); v1 = Relu(v0); return v1 }"},
    {"ConvGrouped", "graph(x: f32[1,4,7,8], w: param f32[6,2,3,3], b: param f32[6]) { v0 = Conv(x, w, b, group=2); return v0 }"},
    {"ConvPointwise", "graph(x: f32[1,12,6,8], w: param f32[10,12,1,1]) { v0 = Conv(x, w); return v0 }"},
    {"AttentionCausal",
     "graph(q: f32[1,2,13,24], k: f32[1,2,21,24], v: f32[1,2,21,10]) { v0 = Attention(q, k, v, is_causal=1); return v0 }"},
    {"AttentionWrittenOut",
     "graph(q: f32[2,9,16], k: f32[2,16,33], m: f32[9,33], v: f32[2,33,7]) { s = MatMul(q, k); t = Add(s, m); p = Softmax(t); r = "
     "MatMul(p, v); return r }"},
    {"RunningSum", "graph(x: f32[19,31]) { y = CumSum(x, axis=1); return y }"},
    {"TopOfRows", "graph(x: f32[300,31]) { v, p = TopK(x, k=5); return v, p }"},
};

// Configurations that a run tries of each sample.
constexpr std::size_t kSeldom = 3, kInFull = 24;

class OpenClConfigurations : public testing::TestWithParam<std::size_t> {};

INSTANTIATE_TEST_SUITE_P(Generator, OpenClConfigurations, testing::Range(std::size_t{0}, std::size(kSamples)),
                         [](const auto& given) { return std::string(kSamples[given.param].name); });

TEST_P(OpenClConfigurations, GiveTheResultOfTheReference) {
  const auto position = static_cast<unsigned>(GetParam());
  if (!has_its_turn(case_of("opencl"), position)) GTEST_SKIP() << "another seed's turn";
  Opened opened = open_first_device(case_of("opencl"));
  if (!opened.why_not.empty()) GTEST_SKIP() << opened.why_not;
  const auto graph = parse_graph(kSamples[GetParam()].graph);
  ASSERT_TRUE(graph.ok()) << graph.error().message;
  const auto support = opened.backend->generator()->supports(graph.value(), opened.device.target);
  ASSERT_TRUE(support.yes) << support.why_not;
  const auto configs = opened.backend->generator()->space(graph.value(), opened.device.target).enumerate(100'000);
  ASSERT_FALSE(configs.empty());
  std::mt19937 random(sample_seed() + 17);
  for (std::size_t i = 0; i < (run_everything() ? kInFull : kSeldom); ++i) {
    const auto& config = configs[random() % configs.size()];
    SCOPED_TRACE(config.text());
    const auto kernel = compile_kernel(*opened.backend, graph.value(), config, opened.device.target, OptimizationLevel::kO2, {});
    ASSERT_TRUE(kernel.ok()) << kernel.error().message;
    const auto run = KernelRun::create(*opened.runtime, kernel.value(), graph.value());
    ASSERT_TRUE(run.ok()) << run.error().message;
    ASSERT_TRUE(run.value()->launch().ok());
    const auto verification = run.value()->verify();
    ASSERT_TRUE(verification.ok()) << verification.error().message;
    EXPECT_TRUE(verification.value().passed) << verification.value().detail;
  }
}

}  // namespace
}  // namespace fuselab::conformance
