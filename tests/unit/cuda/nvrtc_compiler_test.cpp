// SPDX-License-Identifier: Apache-2.0
#include "backends/cuda/compiler/nvrtc_compiler.h"

#include <gmock/gmock.h>

#include "backends/codegen/emit/dialect.h"
#include "backends/cuda/driver/cubin_reader.h"
#include "backends/cuda/driver/cuda_device.h"
#include "backends/cuda/driver/cuda_targets.h"
#include "backends/gpu/stream/ceiling_kernels.h"
#include "tests/unit/cuda/fake_libraries.h"

namespace fuselab::cuda {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

SourceModule kernel(const std::string& text, int threads = 256) {
  SourceModule source;
  source.language = "cuda";
  source.text = text;
  source.entry = "k";
  source.abi.entry = "k";
  source.abi.block_x.text = std::to_string(threads);
  return source;
}

constexpr const char* kCopy = R"(extern "C" __global__ void k(const float* a, float* b) {
  __shared__ float s[256];
  s[threadIdx.x] = a[threadIdx.x + blockIdx.x * 256];
  __syncthreads();
  b[threadIdx.x + blockIdx.x * 256] = s[255 - threadIdx.x];
})";

Target hopper() {
  Target target = named_target("sm_90");
  target.limits.insert({{"max_threads_per_sm", 2048}, {"registers_per_sm", 65536}, {"max_blocks_per_sm", 32}});
  return target;
}

Error failure_of(NvrtcCompiler& compiler, const SourceModule& source, const Target& target) {
  const auto binary = compiler.compile(source, target, OptimizationLevel::kO2, {});
  return binary.ok() ? Error{ErrorCode::kInternal, "it compiled"} : binary.error();
}

TEST(NvrtcCompiler, SaysThatThereIsNone) {
  FakeLibraries fakes;
  fakes.use("FUSELAB_LIB_NVRTC", "/nonexistent/libnvrtc.so.12");
  NvrtcCompiler compiler;
  const Availability availability = compiler.probe();
  EXPECT_FALSE(availability.usable);
  EXPECT_EQ(availability.reason,
            "no CUDA compiler: FUSELAB_LIB_NVRTC: /nonexistent/libnvrtc.so.12 not found; without FUSELAB_LIB_NVRTC it is searched "
            "for");
  EXPECT_EQ(compiler.fingerprint().id, "");
  EXPECT_EQ(failure_of(compiler, kernel(kCopy), hopper()).code, ErrorCode::kUnavailable);
}

TEST(NvrtcCompiler, SaysWhatItsLibraryLacks) {
  FakeLibraries fakes;
  fakes.use("FUSELAB_LIB_NVRTC", HOLLOW);
  EXPECT_EQ(NvrtcCompiler().probe().reason, HOLLOW " has no function nvrtcGetErrorString: it is too old or not the library");
  fakes.use("FUSELAB_LIB_NVRTC", FAKE_NVRTC);
  fakes.compiler("version=11.8");
  EXPECT_EQ(NvrtcCompiler().probe().reason, "NVRTC 11.8 (" FAKE_NVRTC ") is too old: 12.0 is needed");
}

TEST(NvrtcCompiler, JudgesKernelsThatFollowAsWell) {
  FakeLibraries fakes;
  NvrtcCompiler compiler;
  SourceModule source = kernel(kCopy);
  source.text += "\nextern \"C\" FL_KERNEL(64) void k_fold(const float* a, float* b) {}\n";
  source.abi.after = {{"k_fold", {"8"}, {"64"}, {"0"}}};
  fakes.compiler("spills");
  const auto binary = compiler.compile(source, hopper(), OptimizationLevel::kO2, {});
  ASSERT_TRUE(binary.ok()) << binary.error().message;
  EXPECT_EQ(binary.value().metadata.at("resource.spill_bytes"), "256") << "of both";
  source.abi.after.front().block_x.text = "128";
  EXPECT_EQ(
      failure_of(compiler, source, hopper()).message,
      "the kernel k_fold, which follows: it would not launch: the block has 128 threads, the kernel was compiled for at most 64");
  source.abi.after.front().entry = "k_other";
  EXPECT_EQ(failure_of(compiler, source, hopper()).message, "the kernel k_other, which follows: the cubin has no kernel 'k_other'");
}

TEST(NvrtcCompiler, TellsRefusalsFromErrorsOfTheText) {
  FakeLibraries fakes;
  NvrtcCompiler compiler;
  const Error unknown = failure_of(compiler, kernel(kCopy), Target{"sm_70", "cuda", {}});
  EXPECT_EQ(unknown.code, ErrorCode::kUnsupported);
  EXPECT_EQ(unknown.message, "nvrtc 12.9 makes no code for sm_70, only for sm_80, sm_90, sm_120");
  fakes.compiler("error");
  const Error wrong = failure_of(compiler, kernel(kCopy), hopper());
  EXPECT_EQ(wrong.code, ErrorCode::kCompileFailed);
  EXPECT_THAT(wrong.message, StartsWith("kernel.cu(3): error: identifier \"nonsense\" is undefined\n    nonsense;"));
  fakes.compiler("builtins");
  const Error incomplete = failure_of(compiler, kernel(kCopy), hopper());
  EXPECT_EQ(incomplete.code, ErrorCode::kUnavailable);
  EXPECT_THAT(incomplete.message, HasSubstr("libnvrtc-builtins must lie beside libnvrtc"));
  std::stop_source stopped;
  stopped.request_stop();
  const auto cancelled = compiler.compile(kernel(kCopy), hopper(), OptimizationLevel::kO2, stopped.get_token());
  ASSERT_FALSE(cancelled.ok());
  EXPECT_EQ(cancelled.error().code, ErrorCode::kCancelled);
}

TEST(NvrtcCompiler, ReportsWhatAKernelTakesAndHowManyFit) {
  FakeLibraries fakes;
  fakes.compiler("registers=64,shared=2048,spills");
  NvrtcCompiler compiler;
  const auto binary = compiler.compile(kernel(kCopy), hopper(), OptimizationLevel::kO2, {});
  ASSERT_TRUE(binary.ok()) << binary.error().message;
  const auto& said = binary.value().metadata;
  EXPECT_EQ(binary.value().format, "cubin");
  EXPECT_EQ(said.at("compiler"), "nvrtc");
  EXPECT_EQ(said.at("version"), "12.9");
  EXPECT_EQ(said.at("resource.registers"), "64");
  EXPECT_EQ(said.at("resource.shared_bytes"), "2048");
  EXPECT_EQ(said.at("resource.spill_bytes"), "128");
  EXPECT_EQ(said.at("resource.stack_bytes"), "128");
  EXPECT_EQ(said.at("resource.blocks_per_sm"), "4");
  EXPECT_EQ(said.at("resource.warps_per_sm"), "32");
  EXPECT_EQ(said.at("occupancy_limit"), "registers");
  EXPECT_EQ(said.count("resources_differ"), 0U);
}

TEST(NvrtcCompiler, RefusesWhatWouldNotLaunch) {
  FakeLibraries fakes;
  NvrtcCompiler compiler;
  fakes.compiler("registers=128");
  const Error crowded = failure_of(compiler, kernel(kCopy, 1024), hopper());
  EXPECT_EQ(crowded.code, ErrorCode::kUnsupported);
  EXPECT_EQ(crowded.message,
            "it would not launch: a block of 1024 threads with 128 registers each needs more registers than sm_90 has");
  fakes.compiler("shared=70000");
  EXPECT_THAT(failure_of(compiler, kernel(kCopy), hopper()).message, HasSubstr("of static shared memory, sm_90 allows 48.0 KiB"));
}

// With NVIDIA's own library, where there is one: what was believed of it.
class RealNvrtc : public testing::Test {
 protected:
  void SetUp() override {
    if (const auto here = compiler_.probe(); !here.usable) GTEST_SKIP() << "SKIPPED: " << here.reason << "; 1 case";
  }
  NvrtcCompiler compiler_;
};

TEST_F(RealNvrtc, MakesCubinsForEveryListedTarget) {
  const auto nvrtc = NvrtcLibrary::open({});
  ASSERT_TRUE(nvrtc.ok());
  int made = 0;
  for (const Target& target : cuda_targets()) {
    const auto binary = compiler_.compile(kernel(kCopy), target, OptimizationLevel::kO2, {});
    if (nvrtc.value()->architectures().count(std::atoi(target.id.c_str() + 3)) == 0) {
      EXPECT_EQ(binary.error().code, ErrorCode::kUnsupported) << target.id;
      continue;
    }
    ASSERT_TRUE(binary.ok()) << target.id << ": " << binary.error().message;
    const auto& said = binary.value().metadata;
    EXPECT_GT(std::atoi(said.at("resource.registers").c_str()), 0) << target.id;
    EXPECT_EQ(said.at("resource.shared_bytes"), "1024") << target.id;
    EXPECT_EQ(said.at("resource.spill_bytes"), "0") << target.id;
    EXPECT_EQ(said.count("resources_differ"), 0U) << target.id << ": " << said.at("resources_differ");
    EXPECT_THAT(said.at("ptx"), HasSubstr(".entry k"));
    ++made;
  }
  EXPECT_GE(made, 5);
}

TEST_F(RealNvrtc, TellsSpillsBeforeAnythingRuns) {
  constexpr const char* kHungry = R"(extern "C" __global__ __launch_bounds__(1024) void k(float* b) {
  float v[96];
#pragma unroll
  for (int i = 0; i < 96; i++) v[i] = b[i * 1024 + threadIdx.x];
  for (int r = 0; r < b[0]; r++) {
#pragma unroll
    for (int i = 0; i < 96; i++) v[i] = v[i] * v[(i * 7 + 3) % 96] + 1.0f;
  }
#pragma unroll
  for (int i = 0; i < 96; i++) b[i * 1024 + threadIdx.x] = v[i];
})";
  const auto binary = compiler_.compile(kernel(kHungry, 1024), hopper(), OptimizationLevel::kO2, {});
  ASSERT_TRUE(binary.ok()) << binary.error().message;
  const auto& said = binary.value().metadata;
  EXPECT_EQ(said.at("resource.registers"), "64");
  EXPECT_EQ(said.at("resource.max_threads"), "1024");
  EXPECT_GT(std::atoi(said.at("resource.spill_bytes").c_str()), 0);
  EXPECT_EQ(said.count("resources_differ"), 0U);
  EXPECT_EQ(said.at("resource.blocks_per_sm"), "1");
}

TEST_F(RealNvrtc, NamesTheLineOfAnError) {
  const Error error =
      failure_of(compiler_, kernel("extern \"C\" __global__ void k(float* b) {\n  b[0] = 1;\n  nonsense;\n}\n"), hopper());
  EXPECT_EQ(error.code, ErrorCode::kCompileFailed);
  EXPECT_THAT(error.message, HasSubstr("kernel.cu(3): error: identifier \"nonsense\" is undefined"));
  const Error shared = failure_of(
      compiler_,
      kernel("extern \"C\" __global__ void k(float* b) { __shared__ float s[20000]; s[threadIdx.x] = b[0]; __syncthreads(); "
             "b[0] = s[threadIdx.x ^ 1]; }"),
      hopper());
  EXPECT_EQ(shared.code, ErrorCode::kUnsupported) << shared.message;
  EXPECT_THAT(shared.message, HasSubstr("shared"));
}

TEST_F(RealNvrtc, CompilesTheCeilingProbes) {
  for (const auto& [reads, writes] : {std::pair(1, 1), std::pair(2, 0), std::pair(0, 1), std::pair(4, 4)}) {
    SourceModule source = kernel(gpu::stream::stream_probe_text(codegen::cuda_prelude(), reads, writes), 1024);
    source.entry = gpu::stream::kStreamProbes[1].name();
    const auto binary = compiler_.compile(source, hopper(), OptimizationLevel::kO2, {});
    ASSERT_TRUE(binary.ok()) << binary.error().message;
    const std::string& ptx = binary.value().metadata.at("ptx");
    if (reads > 0) {
      EXPECT_THAT(ptx, testing::ContainsRegex("ld[.]global.*v4[.][fu]32")) << reads << " reads";
    }
    if (writes > 0) {
      EXPECT_THAT(ptx, testing::ContainsRegex("st[.]global[.]cs[.]v4[.][fu]32"));
      EXPECT_THAT(ptx, testing::ContainsRegex("st[.]global[.]v4[.][fu]32"));
    }
    EXPECT_EQ(binary.value().metadata.at("resource.spill_bytes"), "0");
    const auto cubin = read_cubin(binary.value().data, source.entry);
    ASSERT_TRUE(cubin.ok()) << cubin.error().message;
    EXPECT_EQ(cubin.value().parameters, reads + writes + 2);
  }
  SourceModule rates = kernel(gpu::stream::rate_probe_text(codegen::cuda_prelude()), 256);
  rates.entry = "rate_f64";
  const auto binary = compiler_.compile(rates, hopper(), OptimizationLevel::kO2, {});
  ASSERT_TRUE(binary.ok()) << binary.error().message;
  EXPECT_THAT(binary.value().metadata.at("ptx"), HasSubstr("fma.rn.f64"));
  EXPECT_THAT(binary.value().metadata.at("ptx"), HasSubstr("fma.rn.f32"));
}

}  // namespace
}  // namespace fuselab::cuda
