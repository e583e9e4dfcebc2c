// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include <chrono>

#include "tests/unit/cuda/runtime_fixture.h"

namespace fuselab::cuda {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

TEST_F(CudaRuntimeTest, BringsBackWhatItWasGiven) {
  for (const std::size_t size :
       {std::size_t{1}, std::size_t{257}, (std::size_t{9} << 20) + 3}) {  // also more than the staging holds
    const auto buffer = runtime_->allocate({static_cast<std::int64_t>(size)}, BufferRole::kIn);
    ASSERT_TRUE(buffer.ok()) << buffer.error().message;
    std::vector<std::byte> sent(size), back(size);
    for (std::size_t i = 0; i < size; ++i) sent[i] = static_cast<std::byte>(i * 31 + (i >> 12));
    ASSERT_TRUE(runtime_->upload(buffer.value(), sent).ok());
    ASSERT_TRUE(runtime_->download(back, buffer.value()).ok());
    EXPECT_TRUE(sent == back) << size;
    EXPECT_TRUE(runtime_->synchronize().ok());
    EXPECT_TRUE(runtime_->release(buffer.value()).ok());
    EXPECT_EQ(runtime_->release(buffer.value()).error().code, ErrorCode::kNotFound);
  }
}

TEST_F(CudaRuntimeTest, RefusesWhatDoesNotFitABuffer) {
  const Buffer buffer = runtime_->allocate({64}, BufferRole::kIn).value();
  std::vector<std::byte> more(65);
  EXPECT_EQ(runtime_->upload(buffer, more).error().code, ErrorCode::kInvalidArgument);
  EXPECT_EQ(runtime_->download(more, buffer).error().code, ErrorCode::kInvalidArgument);
  Buffer shifted = buffer;
  shifted.offset = 1;
  EXPECT_EQ(runtime_->upload(shifted, {}).error().code, ErrorCode::kInvalidArgument);
  EXPECT_EQ(runtime_->allocate({-1}, BufferRole::kIn).error().code, ErrorCode::kInvalidArgument);
}

TEST_F(CudaRuntimeTest, TellsThatMemoryIsOut) {
  const auto huge = runtime_->allocate({std::int64_t{200} << 30}, BufferRole::kIn);
  ASSERT_FALSE(huge.ok());
  EXPECT_EQ(huge.error().code, ErrorCode::kOutOfMemory);
  EXPECT_EQ(huge.error().message, "cuda:0: allocating 200 GiB: CUDA_ERROR_OUT_OF_MEMORY (2)");
  EXPECT_TRUE(runtime_->allocate({100}, BufferRole::kIn).ok()) << "the device is still there";
  EXPECT_TRUE(lost_.empty());
}

TEST_F(CudaRuntimeTest, KnowsHowMuchMemoryIsFree) {
  const std::int64_t before = runtime_->info().free_memory_bytes.value();
  const Buffer buffer = runtime_->allocate({1 << 20}, BufferRole::kIn).value();
  EXPECT_LE(runtime_->info().free_memory_bytes.value(), before - (1 << 20));
  ASSERT_TRUE(runtime_->release(buffer).ok());
  EXPECT_EQ(runtime_->info().free_memory_bytes.value(), before);
}

TEST_F(CudaRuntimeTest, FindsWhatWasWrittenBehindABuffer) {
  const auto kernel = compile("const float* a, float* b");
  ASSERT_TRUE(kernel.ok()) << kernel.error().message;
  const auto loaded = runtime_->load(kernel.value());
  ASSERT_TRUE(loaded.ok()) << loaded.error().message;
  const Launch launch = launch_of(*loaded.value());
  ASSERT_TRUE(launch.executable->enqueue(launch.arguments).ok());
  EXPECT_TRUE(runtime_->synchronize().ok());
  fakes_.driver("stray");
  ASSERT_TRUE(launch.executable->enqueue(launch.arguments).ok());
  const auto found = runtime_->synchronize();
  ASSERT_FALSE(found.ok());
  EXPECT_EQ(found.error().code, ErrorCode::kLaunchFailed);
  EXPECT_EQ(found.error().message, "a kernel wrote outside the 'out' buffer of 100 B");
  EXPECT_FALSE(runtime_->release(launch.arguments[1]).ok());
}

// exp(NaN) is the NaN that it was: where both zones were alike, a value read behind an input and stored behind an output left them
// as they were.
TEST_F(CudaRuntimeTest, FindsWhatWasReadBehindAnInputAndCarriedBehindAnOutput) {
  const auto kernel = compile("const float* a, float* b");
  const auto loaded = runtime_->load(kernel.value());
  ASSERT_TRUE(loaded.ok()) << loaded.error().message;
  const Launch launch = launch_of(*loaded.value());
  fakes_.driver("carried");
  ASSERT_TRUE(launch.executable->enqueue(launch.arguments).ok());
  const auto found = runtime_->synchronize();
  ASSERT_FALSE(found.ok());
  EXPECT_EQ(found.error().message, "a kernel wrote outside the 'out' buffer of 100 B");
}

// A kernel may have more shared memory than it may declare when the driver is asked first.
TEST_F(CudaRuntimeTest, AsksForTheSharedMemoryThatAKernelDoesNotDeclare) {
  auto kernel = compile("const float* a, float* b").value();
  kernel.abi.shared_bytes.text = std::to_string(200 << 10);
  const auto loaded = runtime_->load(kernel);
  ASSERT_TRUE(loaded.ok()) << loaded.error().message;
  const Launch launch = launch_of(*loaded.value());
  EXPECT_TRUE(launch.executable->enqueue(launch.arguments).ok());
  EXPECT_TRUE(runtime_->synchronize().ok());
  kernel.abi.shared_bytes.text = std::to_string(228 << 10);
  EXPECT_EQ(runtime_->load(kernel).error().message,
            "it would not launch: a block needs 228 KiB of shared memory, sm_90a has 227 KiB");
}

TEST_F(CudaRuntimeTest, TimesByDeviceEventsInProportionToTheRuns) {
  const auto kernel = compile("const float* a, float* b");
  const auto loaded = runtime_->load(kernel.value());
  ASSERT_TRUE(loaded.ok()) << loaded.error().message;
  const Launch launch = launch_of(*loaded.value());
  for (const auto* behaviour : {"", "ungated"}) {
    fakes_.driver(behaviour);
    for (const int repetitions : {1, 2, 255, 256, 257, 5000}) {
      const auto timing = runtime_->time(std::vector{launch, launch}, repetitions);
      ASSERT_TRUE(timing.ok()) << timing.error().message;
      EXPECT_EQ(timing.value().source, TimingSource::kDeviceEvents);
      // The fake's kernels take 2 µs, its events 0.5.
      EXPECT_NEAR(timing.value().duration.count, repetitions * 4000.0 + 500, 1 + repetitions * 0.01) << repetitions;
    }
  }
  EXPECT_FALSE(runtime_->time(std::vector{launch}, 0).ok());
}

// Launches wait for their kernels, so the host does not come back to a stream that is held: known from the environment, or found
// out.
TEST_F(CudaRuntimeTest, TimesWithoutHoldingTheStreamWhereLaunchesWait) {
  struct Case {
    const char* variable;
    const char* behaviour;
    bool must_be_found_out;
  };
  for (const auto& [variable, behaviour, must_be_found_out] :
       {Case{"CUDA_LAUNCH_BLOCKING", "", false}, Case{"CUDA_INJECTION64_PATH", "blocking", false},
        Case{"PATH_OF_A_TOOL", "blocking", true}}) {
    fakes_.use(variable, "1");
    fakes_.driver("");
    SetUp();  // anew: it is asked for once
    const auto kernel = compile("const float* a, float* b");
    const auto loaded = runtime_->load(kernel.value());
    ASSERT_TRUE(loaded.ok()) << loaded.error().message;
    fakes_.driver(behaviour);
    const std::vector<Launch> sequence = {launch_of(*loaded.value())};
    const auto begin = std::chrono::steady_clock::now();
    for (const int repetitions : {1, 300}) {
      const auto timing = runtime_->time(sequence, repetitions);
      ASSERT_TRUE(timing.ok()) << timing.error().message;
      EXPECT_NEAR(timing.value().duration.count, repetitions * 2000.0 + 500, 1 + repetitions * 0.01) << variable;
    }
    EXPECT_EQ(std::chrono::steady_clock::now() - begin >= std::chrono::seconds(2), must_be_found_out) << variable;
    fakes_.use(variable, "");
  }
}

// compute-sanitizer watches every access; to it a zone behind a buffer would be memory like any other.
TEST_F(CudaRuntimeTest, LeavesGuardZonesAwayWhereAToolWatches) {
  const std::int64_t before = runtime_->info().free_memory_bytes.value();
  const Buffer guarded = runtime_->allocate({1 << 20}, BufferRole::kIn).value();
  EXPECT_EQ(runtime_->info().free_memory_bytes.value(), before - (1 << 20) - 1024);
  fakes_.use("FUSELAB_GUARD_ZONES", "0");
  const Buffer bare = runtime_->allocate({1 << 20}, BufferRole::kOut).value();
  EXPECT_EQ(runtime_->info().free_memory_bytes.value(), before - 2 * (1 << 20) - 1024);
  EXPECT_TRUE(runtime_->allocate({0}, BufferRole::kOut).ok());
  const std::vector<std::byte> sent(1 << 20, std::byte{7});
  std::vector<std::byte> back(1 << 20);
  ASSERT_TRUE(runtime_->upload(bare, sent).ok());
  ASSERT_TRUE(runtime_->download(back, bare).ok());
  EXPECT_TRUE(sent == back);
  fakes_.use("FUSELAB_GUARD_ZONES", "");
  EXPECT_TRUE(runtime_->release(bare).ok()) << "made without zones, it has none now";
  EXPECT_TRUE(runtime_->release(guarded).ok());
}

TEST_F(CudaRuntimeTest, ForgetsGraphsOfExecutablesThatAreGone) {
  const auto kernel = compile("const float* a, float* b");
  Launch launch;
  {
    const auto loaded = runtime_->load(kernel.value());
    launch = launch_of(*loaded.value());
    ASSERT_TRUE(runtime_->time(std::vector{launch}, 3).ok());
  }
  const auto again = runtime_->load(kernel.value());
  launch.executable = again.value().get();
  EXPECT_TRUE(runtime_->time(std::vector{launch}, 3).ok());
}

// Rotating buffers: one kernel on other buffers at every launch, more of them than one graph takes.
TEST_F(CudaRuntimeTest, EveryLaunchOfAGraphHasItsOwnBuffers) {
  const auto kernel = compile("const float* a, float* b");
  const auto loaded = runtime_->load(kernel.value());
  ASSERT_TRUE(loaded.ok()) << loaded.error().message;
  constexpr int kSets = 600;
  Buffer in = runtime_->allocate({kSets * 512}, BufferRole::kIn).value();
  Buffer out = runtime_->allocate({kSets * 512}, BufferRole::kOut).value();
  in.size = out.size = {100};
  std::vector<Launch> sequence;
  for (int set = 0; set < kSets; ++set) {
    in.offset = out.offset = set * 512;
    sequence.push_back({loaded.value().get(), {in, out}});
  }
  ASSERT_TRUE(runtime_->time(std::span(sequence).first(1), 1).ok());
  const std::string file = testing::TempDir() + "/launches-" + std::to_string(getpid());
  for (const int used : {3, 600}) {
    for (const auto* gate : {"", ",ungated"}) {
      fakes_.driver("trace=" + file + gate);
      const auto timing = runtime_->time(std::span(sequence).last(static_cast<std::size_t>(used)), 2);
      ASSERT_TRUE(timing.ok()) << timing.error().message;
      EXPECT_NEAR(timing.value().duration.count, 2 * used * 2000.0 + 500, 1 + used * 0.02);
      fakes_.driver("");
      std::vector<std::uint64_t> from, to;
      std::ifstream lines(file);
      for (std::uint64_t a = 0, b = 0; lines >> a >> b;) {
        from.push_back(a);
        to.push_back(b);
      }
      std::filesystem::remove(file);
      ASSERT_EQ(from.size(), 2U * static_cast<unsigned>(used));
      for (std::size_t i = 1; i < from.size(); ++i) {
        const std::size_t turn = i % static_cast<unsigned>(used);
        EXPECT_EQ(from[i] - from[0], turn * 512) << i;
        EXPECT_EQ(to[i] - to[0], turn * 512) << i;
      }
    }
  }
  EXPECT_FALSE(runtime_->time({}, 1).ok());
}

TEST_F(CudaRuntimeTest, FlushesCachesWithoutWaiting) {
  auto* const caches = dynamic_cast<CacheControl*>(runtime_.get());
  ASSERT_NE(caches, nullptr);
  EXPECT_TRUE(caches->flush_caches().ok());  // the first wakes the device
  EXPECT_TRUE(runtime_->synchronize().ok());
  const auto now = [] { return told_by_fake<double>("fuselab_fake_cuda_nanoseconds"); };
  const double before = now();
  ASSERT_TRUE(caches->flush_caches().ok());
  EXPECT_EQ(now(), before) << "the device has not begun: nobody waited for it";
  ASSERT_TRUE(runtime_->synchronize().ok());
  // Twice the 1 MiB of the fake's cache, at its 1000 bytes per nanosecond after a microsecond.
  EXPECT_NEAR(now() - before, 1000 + 2 * 1048.576, 1);
}

TEST_F(CudaRuntimeTest, GivesUpOnceAKernelFaulted) {
  const auto kernel = compile("const float* a, float* b");
  const auto loaded = runtime_->load(kernel.value());
  const Launch launch = launch_of(*loaded.value());
  fakes_.driver("launch=700");
  ASSERT_TRUE(launch.executable->enqueue(launch.arguments).ok()) << "it is found when it is waited for";
  const auto faulted = runtime_->synchronize();
  ASSERT_FALSE(faulted.ok());
  EXPECT_EQ(faulted.error().code, ErrorCode::kCrashed);
  EXPECT_THAT(lost_, ElementsAre("cuda:0: running a kernel: CUDA_ERROR_ILLEGAL_ADDRESS (700)"));
  EXPECT_FALSE(runtime_->allocate({100}, BufferRole::kIn).ok());
  EXPECT_FALSE(runtime_->time(std::vector{launch}, 1).ok());
  EXPECT_EQ(lost_.size(), 1U) << "said once";
}

TEST_F(CudaRuntimeTest, LosesTheDeviceInTheMiddleOfATiming) {
  const auto kernel = compile("const float* a, float* b");
  const auto loaded = runtime_->load(kernel.value());
  const Launch launch = launch_of(*loaded.value());
  fakes_.driver("launch=999");
  const auto timing = runtime_->time(std::vector{launch}, 5);
  ASSERT_FALSE(timing.ok());
  EXPECT_EQ(timing.error().message, "cuda:0: running what is timed: CUDA_ERROR_UNKNOWN (999)");
  EXPECT_EQ(lost_.size(), 1U);
}

TEST_F(CudaRuntimeTest, EndsTheProcessUnlessToldOtherwise) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_EXIT(gpu::end_process("cuda:0: running a kernel: CUDA_ERROR_ILLEGAL_ADDRESS (700)"), testing::ExitedWithCode(70),
              "cuda:0: running a kernel: CUDA_ERROR_ILLEGAL_ADDRESS");
}

TEST_F(CudaRuntimeTest, SaysWhyAKernelDoesNotLoad) {
  auto kernel = compile("const float* a, float* b").value();
  fakes_.driver("load=209");
  const auto foreign = runtime_->load(kernel);
  ASSERT_FALSE(foreign.ok());
  EXPECT_EQ(foreign.error().code, ErrorCode::kUnsupported);
  EXPECT_EQ(foreign.error().message, "cuda:0: loading a kernel: CUDA_ERROR_NO_BINARY_FOR_GPU (209): made for another device");
  kernel.binary.metadata["version"] = "13.0";
  EXPECT_THAT(runtime_->load(kernel).error().message,
              HasSubstr("(made by nvrtc 13.0, newer than the driver's CUDA 12.9: update the driver"));
  fakes_.driver("occupancy=0");
  EXPECT_THAT(runtime_->load(kernel).error().message, HasSubstr("not one block of the kernel fits a multiprocessor of Fake H200"));
  fakes_.driver("");
  EXPECT_TRUE(runtime_->load(kernel).ok());
  EXPECT_TRUE(lost_.empty());
}

TEST_F(CudaRuntimeTest, LoadsNothingThatContradictsItsRecord) {
  const auto good = compile("const float* a, float* b").value();
  auto kernel = good;
  kernel.binary.format = "elf-so";
  EXPECT_EQ(runtime_->load(kernel).error().message, "a binary of format 'elf-so' does not run on cuda:0");
  kernel = good;
  kernel.identity.target = "sm_120";
  EXPECT_EQ(runtime_->load(kernel).error().message, "Fake H200 does not run code for sm_120");
  kernel = good;
  kernel.abi.arguments.pop_back();
  EXPECT_EQ(runtime_->load(kernel).error().message, "the cubin's kernel takes 2 arguments, its record says 1");
  kernel = good;
  kernel.abi.grid_x.text = "0";
  EXPECT_EQ(runtime_->load(kernel).error().message, "the grid would be 0");
  kernel = good;
  kernel.abi.block_x.text = "2048";
  EXPECT_THAT(runtime_->load(kernel).error().message, HasSubstr("the block has 2048 threads"));
  kernel = good;
  kernel.binary.data.resize(100);
  EXPECT_EQ(runtime_->load(kernel).error().code, ErrorCode::kCorrupt);
}

TEST_F(CudaRuntimeTest, BindsOnlyBuffersThatFitTheKernel) {
  const auto kernel = compile("const float* a, float* b");
  const auto loaded = runtime_->load(kernel.value());
  Launch launch = launch_of(*loaded.value());
  EXPECT_THAT(launch.executable->enqueue(std::span(launch.arguments).first(1)).error().message,
              HasSubstr("takes 2 buffers, got 1"));
  launch.arguments[1].offset = 4;
  launch.arguments[1].size = {8};
  EXPECT_EQ(launch.executable->enqueue(launch.arguments).error().message, "the buffer of 'a1' is not aligned to 64 bytes");
}

}  // namespace
}  // namespace fuselab::cuda
