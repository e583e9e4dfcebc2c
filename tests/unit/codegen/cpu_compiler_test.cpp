// SPDX-License-Identifier: Apache-2.0
#include "backends/native/compiler/cpu_compiler.h"

#include <gtest/gtest.h>

#include <tuple>

#include "backends/codegen/ir/axes.h"
#include "backends/native/compiler/elf_code.h"
#include "backends/native/cpu_generator.h"
#include "core/graph/graph_text.h"
#include "core/kernel/virtual_target.h"
#include "tests/unit/platform/scratch_folder.h"

namespace fuselab::cpu {
namespace {

const Target kTarget{"x86-64", "x86-64", {{"vector_bytes", 16}, {"cores", 4}, {"max_threads", 4}}};
constexpr OptimizationLevel kLevel = OptimizationLevel::kO2;

SourceModule relu(std::int64_t threads) {
  CpuGenerator generator;
  const auto graph = parse_graph("graph(x: f32[64,256]) { y = Relu(x); return y }");
  EXPECT_TRUE(graph.ok());
  LaunchConfig config = generator.default_config(graph.value(), kTarget);
  config.set("threads", threads);
  const auto source = generator.generate(graph.value(), config, kTarget);
  EXPECT_TRUE(source.ok());
  return source.value();
}

class CompiledAhead : public ::testing::Test {
 protected:
  void SetUp() override {
    HostCompiler host(default_compilers());
    if (const Availability usable = host.probe(); !usable.usable) GTEST_SKIP() << usable.reason;
    const auto binary = host.compile(relu(1), kTarget, kLevel, {});
    ASSERT_TRUE(binary.ok()) << binary.error().message;
    auto writer = platform::ShelfWriter::open(folder_.path(), host.fingerprint());
    ASSERT_TRUE(writer.ok());
    ASSERT_TRUE(writer.value().put(relu(1), host.flags(kTarget, kLevel), binary.value()).ok());
    ASSERT_TRUE(writer.value().finish().ok());
    made_by_ = host.fingerprint().id;
  }

  ScratchFolder folder_;
  std::string made_by_;
};

TEST_F(CompiledAhead, ServesAMachineWithoutACompilerAndSaysSo) {
  CpuCompiler compiler({"/nowhere/gcc"}, folder_.path());
  const Availability found = compiler.probe();
  EXPECT_TRUE(found.usable);
  EXPECT_NE(found.reason.find("1 kernels compiled ahead by " + made_by_), std::string::npos) << found.reason;
  EXPECT_EQ(compiler.fingerprint().id, made_by_);
  const auto binary = compiler.compile(relu(1), kTarget, kLevel, {});
  ASSERT_TRUE(binary.ok()) << binary.error().message;
  EXPECT_EQ(binary.value().format, "elf-so");
}

// The thread count is the runtime's: machines with more cores run the same code.
TEST_F(CompiledAhead, ServesAnyNumberOfThreads) {
  CpuCompiler compiler({"/nowhere/gcc"}, folder_.path());
  ASSERT_NE(relu(1).text, relu(4).text);
  EXPECT_TRUE(compiler.compile(relu(4), kTarget, kLevel, {}).ok());
}

TEST_F(CompiledAhead, SaysWhatToDoAboutAKernelThatDidNotCome) {
  CpuCompiler compiler({"/nowhere/gcc"}, folder_.path());
  const auto binary = compiler.compile(relu(1), kTarget, OptimizationLevel::kO0, {});
  ASSERT_FALSE(binary.ok());
  EXPECT_EQ(binary.error().code, ErrorCode::kUnsupported);
  EXPECT_NE(binary.error().message.find("install gcc"), std::string::npos) << binary.error().message;
}

TEST_F(CompiledAhead, IsNotUsedWhereACompilerWorks) {
  CpuCompiler compiler(default_compilers(), folder_.path());
  const Availability found = compiler.probe();
  EXPECT_TRUE(found.usable);
  EXPECT_EQ(found.reason, "");
  EXPECT_TRUE(compiler.compile(relu(1), kTarget, OptimizationLevel::kO0, {}).ok());
}

TEST_F(CompiledAhead, StandsInForACompilerThatLacksItsParts) {
  ScratchFolder broken;
  broken.write("gcc",
               "#!/bin/sh\n[ \"$1\" = --version ] && exec /usr/bin/gcc --version\necho 'gcc: fatal error: cannot execute cc1' "
               ">&2\nexit 1\n");
  std::filesystem::permissions(broken.path() / "gcc", std::filesystem::perms::owner_all);
  CpuCompiler compiler({broken.path() / "gcc"}, folder_.path());
  const Availability found = compiler.probe();
  EXPECT_TRUE(found.usable);
  EXPECT_NE(found.reason.find("compiled ahead"), std::string::npos) << found.reason;
}

TEST(CpuCompiler, CountsInstructionsNotPages) {
  HostCompiler host(default_compilers());
  if (const Availability usable = host.probe(); !usable.usable) GTEST_SKIP() << usable.reason;
  const auto size_of = [&](const std::string& text) {
    SourceModule source;
    source.language = "c";
    source.text = text;
    source.entry = "f";
    const auto binary = host.compile(source, kTarget, kLevel, {});
    EXPECT_TRUE(binary.ok());
    return std::stoll(binary.value().metadata.at("resource.code_bytes"));
  };
  const auto small = size_of("int f(int x) { return x; }\n");
  const auto large = size_of("double f(double x) { return x * x * x * x / (x + 1) / (x + 2) / (x + 3) / (x + 4) / (x + 5); }\n");
  EXPECT_GT(small, 0);
  EXPECT_LT(small, 4096);
  EXPECT_GT(large, small);
  EXPECT_FALSE(code_of(std::as_bytes(std::span("no ELF file"))).has_value());
}

// So many sums of registers at once, in a loop that needs them all.
std::int64_t spilled_by(int sums, const Target& target) {
  HostCompiler host(default_compilers());
  SourceModule source;
  source.language = "c";
  source.entry = "f";
  const std::string bytes = std::to_string(codegen::limit_of(target, "vector_bytes", 16));
  source.text =
      "typedef float v __attribute__((vector_size(" + bytes + ")));\nvoid f(v* restrict y, const v* x, const v* w, long k) {\n";
  for (int i = 0; i < sums; ++i) source.text += "  v s" + std::to_string(i) + " = {0};\n";
  source.text += "  for (long p = 0; p < k; ++p) {\n    const v a = x[p];\n";
  for (int i = 0; i < sums; ++i) {
    const std::string n = std::to_string(i);
    source.text += "    s" + n + " += a * w[p + k * " + n + "];\n";
  }
  source.text += "  }\n";
  for (int i = 0; i < sums; ++i) source.text += "  y[" + std::to_string(i) + "] = s" + std::to_string(i) + ";\n";
  source.text += "}\n";
  const auto binary = host.compile(source, target, kLevel, {});
  EXPECT_TRUE(binary.ok()) << source.text;
  return binary.ok() ? std::stoll(binary.value().metadata.at("resource.spill_bytes")) : 0;
}

TEST(CpuCompiler, CountsWhatItSpillsAtEveryLevel) {
  HostCompiler host(default_compilers());
  if (const Availability usable = host.probe(); !usable.usable) GTEST_SKIP() << usable.reason;
  for (const auto& [id, bytes, registers] : {std::tuple{"x86-64", 16, 16}, {"x86-64-v3", 32, 16}, {"x86-64-v4", 64, 32}}) {
    const Target target{id, "x86-64", {{"vector_bytes", bytes}, {"cores", 4}, {"max_threads", 4}}};
    EXPECT_EQ(spilled_by(registers / 2, target), 0) << id;
    EXPECT_GE(spilled_by(2 * registers, target), registers / 2 * bytes) << id;
  }
}

// A kernel's identity names no C library, so its results may not be one's: a function of libm does not link.
TEST(CpuCompiler, MakesNoKernelThatCallsTheMathLibrary) {
  HostCompiler host(default_compilers());
  if (const Availability usable = host.probe(); !usable.usable) GTEST_SKIP() << usable.reason;
  SourceModule source;
  source.language = "c";
  source.text = "double f(double x, double y) { return __builtin_pow(x, y); }\n";
  source.entry = "f";
  const auto binary = host.compile(source, kTarget, kLevel, {});
  ASSERT_FALSE(binary.ok());
  EXPECT_NE(binary.error().message.find("pow"), std::string::npos) << binary.error().message;
}

TEST(CpuCompiler, CompilesForAnotherArchitectureWhereItCan) {
  CrossCompiler cross;
  if (const Availability usable = cross.probe(); !usable.usable) GTEST_SKIP() << usable.reason;
  CpuCompiler compiler(default_compilers(), {});
  const Target neon = virtual_target("armv8-a+simd").value().target;
  CpuGenerator generator;
  const auto graph = parse_graph("graph(x: f32[64,256]) { y = Relu(x); return y }");
  const auto source = generator.generate(graph.value(), generator.default_config(graph.value(), neon), neon);
  ASSERT_TRUE(source.ok());
  const auto binary = compiler.compile(source.value(), neon, kLevel, {});
  ASSERT_TRUE(binary.ok()) << binary.error().message;
  EXPECT_EQ(binary.value().format, "elf-object");
}

}  // namespace
}  // namespace fuselab::cpu
