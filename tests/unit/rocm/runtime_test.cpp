// SPDX-License-Identifier: Apache-2.0
// HIP's table of calls behind the runtime that every device with streams shares: the fake takes only HIP's flags and handles.
#include <dlfcn.h>
#include <gmock/gmock.h>

#include "backends/gpu/stream/stream_runtime.h"
#include "backends/rocm/driver/hip_vendor.h"
#include "core/backend/device_monitor.h"
#include "tests/support/fake_cuda/fake_cubin.h"
#include "tests/unit/rocm/fake_runtime.h"

namespace fuselab::hip {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

constexpr const char* kText = "extern \"C\" FL_KERNEL(64) void k(const float* a, float* b) {}\n";

// The fake's binaries are those of the fake CUDA driver: its kernels have two parameters.
const gpu::stream::Vendor& vendor_of_fake() {
  static const gpu::stream::Vendor vendor = [] {
    gpu::stream::Vendor held = hip_vendor();
    held.read_binary = [](std::span<const std::byte>, std::string_view kernel) -> Result<gpu::stream::BinaryKernel> {
      if (kernel != "k") return Error{ErrorCode::kNotFound, "no such kernel"};
      gpu::stream::BinaryKernel read;
      read.parameters = 2;
      return read;
    };
    return held;
  }();
  return vendor;
}

class NoCompiler final : public Compiler {
 public:
  Availability probe() override { return Availability::unavailable("none"); }
  CompilerFingerprint fingerprint() override { return {}; }
  std::string flags(const Target&, OptimizationLevel) const override { return ""; }
  Result<KernelBinary> compile(const SourceModule&, const Target&, OptimizationLevel, std::stop_token) override {
    return Error{ErrorCode::kUnavailable, "none"};
  }
};

class HipRuntimeTest : public testing::Test {
 protected:
  void SetUp() override { start(FAKE_HIP); }
  void start(const char* library) {
    runtime_.reset();
    library_ = library;
    fake_.use("FUSELAB_LIB_HIP", library);
    const auto driver = fake_.driver();
    const DeviceInfo device = describe_devices(*driver).value().devices.front();
    const auto stream_driver =
        std::make_shared<const gpu::stream::Driver>(vendor_of_fake(), driver->calls(), driver->version_number());
    auto opened = gpu::stream::StreamRuntime::open(stream_driver, device, compiler_,
                                                   [this](const std::string& why) { lost_.push_back(why); });
    ASSERT_TRUE(opened.ok()) << opened.error().message;
    runtime_ = std::move(opened).value();
  }
  // Nothing that a runtime would have refused.
  void TearDown() override {
    runtime_.reset();
    void* const library = dlopen(library_, RTLD_NOW | RTLD_LOCAL);
    const auto misuses = reinterpret_cast<int (*)()>(dlsym(library, "fuselab_fake_hip_misuses"));
    EXPECT_EQ(misuses(), 0);
  }

  static CompiledKernel kernel() {
    CompiledKernel kernel;
    kernel.identity.target = "gfx942";
    kernel.abi.entry = "k";
    kernel.abi.block_x.text = "64";
    kernel.abi.grid_x.text = "multiprocessors";
    kernel.abi.arguments = {{"a", BufferRole::kIn, {}, 64}, {"b", BufferRole::kOut, {}, 64}};
    kernel.binary.format = "hsaco";
    kernel.binary.data = fake_cuda::fake_cubin(fake_cuda::kernels_in(kText), kText);
    return kernel;
  }
  Launch launch_of(Executable& executable) {
    Launch launch;
    launch.executable = &executable;
    for (const BufferRole role : {BufferRole::kIn, BufferRole::kOut})
      launch.arguments.push_back(runtime_->allocate({100}, role).value());
    return launch;
  }

  FakeRuntime fake_;
  NoCompiler compiler_;
  const char* library_ = FAKE_HIP;
  std::vector<std::string> lost_;
  std::unique_ptr<DeviceRuntime> runtime_;
};

TEST_F(HipRuntimeTest, BringsBackWhatItWasGiven) {
  for (const std::size_t size : {std::size_t{257}, (std::size_t{9} << 20) + 3}) {  // also more than the staging holds
    const auto buffer = runtime_->allocate({static_cast<std::int64_t>(size)}, BufferRole::kIn);
    ASSERT_TRUE(buffer.ok()) << buffer.error().message;
    std::vector<std::byte> sent(size), back(size);
    for (std::size_t i = 0; i < size; ++i) sent[i] = static_cast<std::byte>(i * 31 + (i >> 12));
    ASSERT_TRUE(runtime_->upload(buffer.value(), sent).ok());
    ASSERT_TRUE(runtime_->download(back, buffer.value()).ok());
    EXPECT_TRUE(sent == back) << size;
    EXPECT_TRUE(runtime_->release(buffer.value()).ok());
  }
  EXPECT_EQ(runtime_->info().free_memory_bytes, std::int64_t{192} << 30) << "everything was given back";
}

TEST_F(HipRuntimeTest, TellsThatMemoryIsOut) {
  const auto huge = runtime_->allocate({std::int64_t{200} << 30}, BufferRole::kIn);
  ASSERT_FALSE(huge.ok());
  EXPECT_EQ(huge.error().code, ErrorCode::kOutOfMemory);
  EXPECT_EQ(huge.error().message, "rocm:0: allocating 200 GiB: hipErrorOutOfMemory (2)");
  EXPECT_TRUE(runtime_->allocate({100}, BufferRole::kIn).ok()) << "the device is still there";
  EXPECT_TRUE(lost_.empty());
}

// With a gate, without one, with one that the runtime refuses, and without hipGraphUpload.
TEST_F(HipRuntimeTest, TimesByDeviceEventsInProportionToTheRuns) {
  for (const auto& [library, behaviour] :
       {std::pair{FAKE_HIP, ""}, std::pair{FAKE_HIP, "ungated"}, std::pair{FAKE_HIP, "refused"}, std::pair{FAKE_HIP_5, ""}}) {
    start(library);
    const auto loaded = runtime_->load(kernel());
    ASSERT_TRUE(loaded.ok()) << loaded.error().message;
    const Launch launch = launch_of(*loaded.value());
    fake_.behave(behaviour);
    for (const int repetitions : {1, 257, 5000}) {
      const auto timing = runtime_->time(std::vector{launch, launch}, repetitions);
      ASSERT_TRUE(timing.ok()) << timing.error().message << behaviour;
      EXPECT_EQ(timing.value().source, TimingSource::kDeviceEvents);
      // The fake's kernels take 2 µs, its events 0.5.
      EXPECT_NEAR(timing.value().duration.count, repetitions * 4000.0 + 500, 1 + repetitions * 0.01) << repetitions << behaviour;
    }
    fake_.behave("");
    EXPECT_TRUE(runtime_->synchronize().ok());
  }
}

TEST_F(HipRuntimeTest, GivesALaunchAllLocalMemoryWithoutAsking) {
  CompiledKernel large = kernel();
  large.abi.shared_bytes.text = std::to_string(64 << 10);
  const auto loaded = runtime_->load(large);
  ASSERT_TRUE(loaded.ok()) << loaded.error().message;
  const Launch launch = launch_of(*loaded.value());
  EXPECT_TRUE(launch.executable->enqueue(launch.arguments).ok());
  EXPECT_TRUE(runtime_->synchronize().ok());
  large.abi.shared_bytes.text = std::to_string(65 << 10);
  EXPECT_EQ(runtime_->load(large).error().message,
            "it would not launch: a block needs 65.0 KiB of shared memory, gfx942 has 64.0 KiB");
}

TEST_F(HipRuntimeTest, TellsItsClocksAndPower) {
  auto* const monitor = dynamic_cast<DeviceMonitor*>(runtime_.get());
  ASSERT_NE(monitor, nullptr);
  const auto state = monitor->state();
  ASSERT_TRUE(state.ok()) << state.error().message;
  EXPECT_EQ(state.value().core_mhz, 2104);
  EXPECT_EQ(state.value().watts, 512);
  EXPECT_EQ(monitor->driver_version(), "6.10.5") << "the kernel driver's, which AMD SMI tells";
}

TEST_F(HipRuntimeTest, LosesTheDeviceToAFault) {
  const auto loaded = runtime_->load(kernel());
  ASSERT_TRUE(loaded.ok()) << loaded.error().message;
  const Launch launch = launch_of(*loaded.value());
  fake_.behave("launch=700");
  ASSERT_TRUE(launch.executable->enqueue(launch.arguments).ok()) << "found when the launch is waited for";
  EXPECT_EQ(runtime_->synchronize().error().message, "rocm:0: running a kernel: hipErrorIllegalAddress (700)");
  EXPECT_THAT(lost_, ElementsAre("rocm:0: running a kernel: hipErrorIllegalAddress (700)"));
}

TEST_F(HipRuntimeTest, FindsWhatWasWrittenBehindABuffer) {
  const auto loaded = runtime_->load(kernel());
  const Launch launch = launch_of(*loaded.value());
  fake_.behave("stray");
  ASSERT_TRUE(launch.executable->enqueue(launch.arguments).ok());
  EXPECT_EQ(runtime_->synchronize().error().message, "a kernel wrote outside the 'out' buffer of 100 B");
}

TEST_F(HipRuntimeTest, RefusesCodeForAnotherDevice) {
  CompiledKernel other = kernel();
  other.identity.target = "gfx1100";
  EXPECT_EQ(runtime_->load(other).error().message, "AMD Fake MI300X does not run code for gfx1100");
  other = kernel();
  other.binary.format = "cubin";
  EXPECT_EQ(runtime_->load(other).error().message, "a binary of format 'cubin' does not run on rocm:0");
  fake_.behave("load=209");
  const auto refused = runtime_->load(kernel());
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.error().code, ErrorCode::kUnsupported);
  EXPECT_EQ(refused.error().message, "rocm:0: loading a kernel: hipErrorNoBinaryForGpu (209)");
  fake_.behave("occupancy=0");
  EXPECT_THAT(runtime_->load(kernel()).error().message, HasSubstr("not one block of the kernel fits"));
}

}  // namespace
}  // namespace fuselab::hip
