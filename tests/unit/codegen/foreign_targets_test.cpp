// SPDX-License-Identifier: Apache-2.0
// Text for processors that this machine need not be: compiled for them, run by nobody.
#include <gtest/gtest.h>

#include "backends/cpu/cpu_backend.h"
#include "backends/native/compiler/cross_compiler.h"
#include "backends/native/compiler/foreign_targets.h"
#include "backends/native/compiler/host_compiler.h"
#include "backends/native/cpu_generator.h"
#include "core/graph/graph_text.h"

namespace fuselab::cpu {
namespace {

// One kernel of every family, and of every prelude that is not plain arithmetic.
constexpr const char* kGraphs[] = {
    "graph(x: f32[16,100], w: param f32[100]) { y = RMSNormalization(x, w); return y }",
    "graph(x: f32[512,64]) { a = Gelu(x); b = Log(a); y = Tanh(b); return y }",
    "graph(x: f64[17,33]) { y = Softmax(x); return y }",
    "graph(x: f16[7,33]) { y = Swish(x); return y }",
    "graph(x: bf16[7,33]) { a = Abs(x); b = Sqrt(a); y = Pow(b, a); return y }",
    "graph(x: f32[65,63], w: param f32[63,130]) { p = MatMul(x, w); y = Relu(p); return y }",
    "graph(x: f32[1,4,9,9], w: param f32[8,4,3,3]) { y = Conv(x, w, pads=[1,1,1,1]); return y }",
    "graph(x: f32[1,8,17,19]) { y = MaxPool(x, kernel_shape=[3,3], strides=[2,2]); return y }",
    "graph(q: f32[1,2,7,16], k: f32[1,2,9,16], v: f32[1,2,9,16]) { y = Attention(q, k, v); return y }",
    "graph(x: f32[2,9,17]) { y = Transpose(x, perm=[2,0,1]); return y }",
    ("graph(x: f32[7,33], z: f32[33]) { s = Sin(x); a = Atan(s); h = Asinh(a); c = Cosh(h); m = Mod(c, z, fmod=1); f = Floor(m); "
     "l = Less(f, z); w = Where(l, f, c); y = CumSum(w, axis=0); return y }"),
    "graph(x: i32[7,33]) { y = Pad(x, pads=[1,2,3,4], mode=\"reflect\"); return y }",
};

// What the ELF header says the code is for.
int machine_of(const KernelBinary& binary) {
  constexpr std::size_t kMachine = 18;
  if (binary.data.size() < kMachine + 2) return 0;
  return std::to_integer<int>(binary.data[kMachine]) + 256 * std::to_integer<int>(binary.data[kMachine + 1]);
}

class NeonKernels : public ::testing::TestWithParam<const char*> {};

TEST_P(NeonKernels, AreGeneratedWithoutAnythingOfX86) {
  const Graph graph = parse_graph(GetParam()).value();
  const CpuGenerator generator;
  const Target target = neon_target();
  for (const LaunchConfig& config : generator.space(graph, target).enumerate(64)) {
    const auto source = generator.generate(graph, config, target);
    ASSERT_TRUE(source.ok()) << source.error().message;
    EXPECT_EQ(source.value().text.find("ia32"), std::string::npos) << config.text();
    EXPECT_NE(source.value().text.find("for armv8-a+simd"), std::string::npos);
  }
}

TEST_P(NeonKernels, CompileForAarch64) {
  CrossCompiler compiler;
  if (const Availability usable = compiler.probe(); !usable.usable) GTEST_SKIP() << usable.reason;
  const Graph graph = parse_graph(GetParam()).value();
  const CpuGenerator generator;
  const Target target = neon_target();
  const auto source = generator.generate(graph, generator.default_config(graph, target), target);
  ASSERT_TRUE(source.ok()) << source.error().message;
  const auto binary = compiler.compile(source.value(), target, OptimizationLevel::kO2, {});
  ASSERT_TRUE(binary.ok()) << binary.error().message;
  constexpr int kAarch64 = 183;
  EXPECT_EQ(machine_of(binary.value()), kAarch64);
  EXPECT_FALSE(binary.value().metadata.contains("warnings")) << binary.value().metadata.at("warnings");
}

INSTANTIATE_TEST_SUITE_P(OfEveryFamily, NeonKernels, ::testing::ValuesIn(kGraphs),
                         [](const auto& each) { return std::to_string(each.index); });

// Registers of 64 bytes; this machine need not have them.
Target avx512_target() {
  return {"x86-64-v4", "x86-64", {{"vector_bytes", 64}, {"cores", 4}, {"max_threads", 4}}};
}

class Avx512Kernels : public ::testing::TestWithParam<const char*> {};

// What compiles for registers of 32 bytes need not for 64.
TEST_P(Avx512Kernels, CompileWithTheHostCompiler) {
  HostCompiler compiler(default_compilers());
  if (const Availability usable = compiler.probe(); !usable.usable) GTEST_SKIP() << usable.reason;
  const Graph graph = parse_graph(GetParam()).value();
  const CpuGenerator generator;
  const Target target = avx512_target();
  ASSERT_NE(compiler.flags(target, OptimizationLevel::kO2).find("-march=x86-64-v4"), std::string::npos);
  std::vector<LaunchConfig> configs = generator.space(graph, target).enumerate(2);
  configs.push_back(generator.default_config(graph, target));
  for (const LaunchConfig& config : configs) {
    const auto source = generator.generate(graph, config, target);
    ASSERT_TRUE(source.ok()) << source.error().message;
    EXPECT_NE(source.value().text.find("for x86-64-v4"), std::string::npos);
    const auto binary = compiler.compile(source.value(), target, OptimizationLevel::kO2, {});
    ASSERT_TRUE(binary.ok()) << config.text() << ": " << binary.error().message;
    constexpr int kX86 = 62;
    EXPECT_EQ(machine_of(binary.value()), kX86);
    EXPECT_FALSE(binary.value().metadata.contains("warnings")) << binary.value().metadata.at("warnings");
  }
}

INSTANTIATE_TEST_SUITE_P(OfEveryFamily, Avx512Kernels, ::testing::ValuesIn(kGraphs),
                         [](const auto& each) { return std::to_string(each.index); });

TEST(NeonTarget, IsListedWithTheStepItReached) {
  const auto backend = make_cpu_backend();
  if (const Availability usable = backend->probe(); !usable.usable) GTEST_SKIP() << usable.reason;
  const auto reached = backend->capabilities(backend->enumerate().value().front()).foreign_targets;
  ASSERT_TRUE(reached.contains("armv8-a+simd"));
  EXPECT_TRUE(reached.at("armv8-a+simd").starts_with("generated")) << reached.at("armv8-a+simd");
  if (CrossCompiler().probe().usable) {
    EXPECT_NE(reached.at("armv8-a+simd").find("compiled by clang"), std::string::npos);
  }
}

TEST(ForeignTargets, HoldTheLevelsOfX86ThatTheDeviceLacks) {
  HostCompiler host(default_compilers());
  if (const Availability usable = host.probe(); !usable.usable) GTEST_SKIP() << usable.reason;
  DeviceInfo old;
  old.target = {"x86-64", "x86-64", {}};
  const auto steps = foreign_targets(old, CpuGenerator(), host);
  for (const char* level : {"x86-64-v3", "x86-64-v4"}) {
    ASSERT_TRUE(steps.contains(level));
    EXPECT_NE(steps.at(level).find("compiled by " + host.fingerprint().id), std::string::npos) << steps.at(level);
  }
  DeviceInfo modern;
  modern.target = {"x86-64-v4", "x86-64", {}};
  modern.other_targets = {{"x86-64-v3", "x86-64", {}}, old.target};
  EXPECT_EQ(foreign_targets(modern, CpuGenerator(), host).size(), 1U);
}

TEST(NeonTarget, IsCompiledByTheCrossCompilerAlone) {
  const auto backend = make_cpu_backend();
  if (const Availability usable = backend->probe(); !usable.usable) GTEST_SKIP() << usable.reason;
  const Graph graph = parse_graph(kGraphs[0]).value();
  const LaunchConfig config = backend->generator()->default_config(graph, neon_target());
  const auto kernel = compile_kernel(*backend, graph, config, neon_target(), OptimizationLevel::kO2, {});
  EXPECT_EQ(kernel.ok(), CrossCompiler().probe().usable);
  if (kernel.ok()) {
    EXPECT_FALSE(kernel.value().binary.data.empty());
    EXPECT_EQ(kernel.value().identity.target, neon_target().id);
  }
  HostCompiler host(default_compilers());
  EXPECT_EQ(host.compile({}, neon_target(), OptimizationLevel::kO2, {}).error().code, ErrorCode::kUnsupported);
}

}  // namespace
}  // namespace fuselab::cpu
