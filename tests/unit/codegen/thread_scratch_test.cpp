// SPDX-License-Identifier: Apache-2.0
#include "backends/native/threads/thread_scratch.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <cstring>

#include "backends/host/processor.h"
#include "backends/native/compiler/host_compiler.h"
#include "backends/native/cpu_runtime.h"

namespace fuselab::cpu {
namespace {

bool is_poisoned(const std::byte* begin, std::size_t size) {
  return std::all_of(begin, begin + size, [](std::byte b) { return b == std::byte{0xFF}; });
}

TEST(ThreadScratch, IsAlignedPoisonedAndEachThreadsOwn) {
  ThreadScratch scratch;
  ASSERT_TRUE(scratch.provide(2, {100}).ok());
  for (int thread : {0, 1}) {
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(scratch.of(thread, {100})) % 64, 0U);
    EXPECT_TRUE(is_poisoned(scratch.of(thread, {100}), 100));
  }
  std::memset(scratch.of(0, {100}), 0, 100);
  EXPECT_TRUE(is_poisoned(scratch.of(1, {100}), 100));
}

TEST(ThreadScratch, IsTheSameForTheNextKernelAndPoisonedAgain) {
  ThreadScratch scratch;
  ASSERT_TRUE(scratch.provide(1, {4096}).ok());
  std::byte* const first = scratch.of(0, {4096});
  std::memset(first, 0, 4096);
  ASSERT_TRUE(scratch.provide(1, {4096}).ok());
  EXPECT_EQ(scratch.of(0, {4096}), first);
  EXPECT_TRUE(is_poisoned(first, 4096));
}

TEST(ThreadScratch, GrowsForAKernelThatNeedsMoreAndServesTheOldOneStill) {
  ThreadScratch scratch;
  ASSERT_TRUE(scratch.provide(1, {64}).ok());
  ASSERT_TRUE(scratch.provide(2, {1 << 20}).ok());
  for (int thread : {0, 1}) EXPECT_TRUE(is_poisoned(scratch.of(thread, {1 << 20}), 1 << 20));
  std::memset(scratch.of(1, {64}), 0, 64);
}

TEST(ThreadScratch, FaultsBehindItsLastCacheLineHoweverMuchThereIs) {
  ThreadScratch scratch;
  ASSERT_TRUE(scratch.provide(1, {1 << 16}).ok());
  ASSERT_TRUE(scratch.provide(1, {100}).ok());
  EXPECT_DEATH(scratch.of(0, {100})[128] = std::byte{1}, "");
}

// A kernel of one thread with this body and one output of eight bytes.
CompiledKernel kernel_of(HostCompiler& compiler, const DeviceInfo& here, const std::string& body) {
  SourceModule module;
  module.language = "c";
  module.entry = "tell";
  module.text = "void tell(void* const* buffers, void* scratch, long long begin, long long end) {\n" + body + "}\n";
  CompiledKernel kernel;
  auto binary = compiler.compile(module, here.target, OptimizationLevel::kO2, {});
  if (!binary.ok()) return kernel;
  kernel.binary = std::move(binary).value();
  kernel.identity.target = here.target.id;
  kernel.abi.entry = module.entry;
  kernel.abi.arguments.push_back({"out", BufferRole::kOut, {DType::kI64, {Dim(1)}}});
  kernel.abi.grid_x.text = "1";
  kernel.abi.shared_bytes.text = "4096";
  return kernel;
}

// The sides of a comparison are two loads, often of one binary.
TEST(CpuRuntime, TwoLoadsOfAKernelWorkInTheSameScratch) {
  HostCompiler compiler{default_compilers()};
  if (const Availability usable = compiler.probe(); !usable.usable) GTEST_SKIP() << usable.reason;
  const DeviceInfo here = host::describe_cpu();
  const CompiledKernel kernel = kernel_of(compiler, here, "  *(void**)buffers[0] = scratch;\n");
  ASSERT_FALSE(kernel.binary.data.empty());
  CpuRuntime runtime(here, host::usable_cpus());
  const auto out = runtime.allocate({8}, BufferRole::kOut);
  ASSERT_TRUE(out.ok());
  std::vector<std::unique_ptr<Executable>> loaded;
  std::vector<std::int64_t> addresses;
  for (int load = 0; load < 2; ++load) {
    auto executable = runtime.load(kernel);
    ASSERT_TRUE(executable.ok()) << executable.error().message;
    ASSERT_TRUE(executable.value()->enqueue(std::vector{out.value()}).ok());
    addresses.emplace_back();
    ASSERT_TRUE(runtime.download(std::as_writable_bytes(std::span(&addresses.back(), 1)), out.value()).ok());
    loaded.push_back(std::move(executable).value());
  }
  EXPECT_NE(addresses[0], 0);
  EXPECT_EQ(addresses[0], addresses[1]);
}

// Of a plan of several kernels all are loaded before the first runs.
TEST(CpuRuntime, AKernelFindsPoisonAtItsFirstLaunchWhoeverWorkedThereSinceItWasLoaded) {
  HostCompiler compiler{default_compilers()};
  if (const Availability usable = compiler.probe(); !usable.usable) GTEST_SKIP() << usable.reason;
  const DeviceInfo here = host::describe_cpu();
  const CompiledKernel kernel = kernel_of(compiler, here,
                                          "  *(long long*)buffers[0] = *(long long*)scratch;\n"
                                          "  *(long long*)scratch = 7;\n");
  ASSERT_FALSE(kernel.binary.data.empty());
  CpuRuntime runtime(here, host::usable_cpus());
  const auto out = runtime.allocate({8}, BufferRole::kOut);
  ASSERT_TRUE(out.ok());
  auto first = runtime.load(kernel), second = runtime.load(kernel);
  ASSERT_TRUE(first.ok() && second.ok());
  std::vector<std::int64_t> found;
  for (Executable* const each : {first.value().get(), second.value().get(), second.value().get()}) {
    ASSERT_TRUE(each->enqueue(std::vector{out.value()}).ok());
    found.emplace_back();
    ASSERT_TRUE(runtime.download(std::as_writable_bytes(std::span(&found.back(), 1)), out.value()).ok());
  }
  EXPECT_EQ(found, (std::vector<std::int64_t>{-1, -1, 7}));
}

}  // namespace
}  // namespace fuselab::cpu
