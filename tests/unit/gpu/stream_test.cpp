// SPDX-License-Identifier: Apache-2.0
// The second user of backends/gpu/stream: a vendor with codes, numbers and words of its own. Nothing of CUDA is linked here.
#include <gmock/gmock.h>

#include <array>

#include "backends/gpu/stream/start_gate.h"
#include "backends/gpu/stream/stream_runtime.h"
#include "tests/support/environment_variables.h"
#include "tests/support/fake_vendor/fake_vendor.h"

namespace fuselab::gpu::stream {
namespace {

using testing::ElementsAre;
using testing::StartsWith;

// Compiles to a name, or is not there.
class AcmeCompiler final : public Compiler {
 public:
  Availability probe() override { return there ? Availability::available() : Availability::unavailable("no acme-cc"); }
  CompilerFingerprint fingerprint() override { return {"acme-cc", "1"}; }
  std::string flags(const Target&, OptimizationLevel) const override { return ""; }
  Result<KernelBinary> compile(const SourceModule& source, const Target&, OptimizationLevel, std::stop_token) override {
    sources.push_back(source);
    return KernelBinary{"acme-o", {}, {}};
  }

  bool there = true;
  std::vector<SourceModule> sources;
};

class OtherVendor : public testing::Test {
 protected:
  void SetUp() override {
    driver_ = fake_vendor::open_driver();
    auto opened = StreamRuntime::open(driver_, fake_vendor::described_device(), compiler_,
                                      [this](const std::string& why) { lost_.push_back(why); });
    ASSERT_TRUE(opened.ok()) << opened.error().message;
    runtime_ = std::move(opened).value();
  }
  void TearDown() override {
    const bool kept = lost_.empty();
    runtime_.reset();
    EXPECT_EQ(fake_vendor::state().strangers, 0) << "every flag, option and attribute was Acme's";
    EXPECT_EQ(fake_vendor::state().contexts, kept ? 0 : 1) << "what is lost is not given back";
  }

  Launch launch_of(Executable& executable) {
    Launch launch{&executable, {}};
    for (const BufferRole role : {BufferRole::kIn, BufferRole::kOut}) {
      launch.arguments.push_back(runtime_->allocate({100}, role).value());
    }
    return launch;
  }

  AcmeCompiler compiler_;
  std::shared_ptr<const Driver> driver_;
  std::vector<std::string> lost_;
  std::unique_ptr<DeviceRuntime> runtime_;
};

TEST_F(OtherVendor, ComputesOnItsDevice) {
  const auto loaded = runtime_->load(fake_vendor::doubling_kernel());
  ASSERT_TRUE(loaded.ok()) << loaded.error().message;
  const Launch launch = launch_of(*loaded.value());
  std::array<float, 25> sent{}, back{};
  for (std::size_t i = 0; i < sent.size(); ++i) sent[i] = static_cast<float>(i) + 0.5F;
  ASSERT_TRUE(runtime_->upload(launch.arguments[0], std::as_bytes(std::span(sent))).ok());
  ASSERT_TRUE(launch.executable->enqueue(launch.arguments).ok());
  ASSERT_TRUE(runtime_->synchronize().ok());
  ASSERT_TRUE(runtime_->download(std::as_writable_bytes(std::span(back)), launch.arguments[1]).ok());
  for (std::size_t i = 0; i < sent.size(); ++i) EXPECT_EQ(back[i], 2 * sent[i]);
  for (const Buffer& buffer : launch.arguments) EXPECT_TRUE(runtime_->release(buffer).ok());
}

TEST_F(OtherVendor, RefusesBinariesInItsOwnWords) {
  CompiledKernel kernel = fake_vendor::doubling_kernel();
  fake_vendor::state().load = fake_vendor::kForeign;
  const auto foreign = runtime_->load(kernel);
  ASSERT_FALSE(foreign.ok());
  EXPECT_EQ(foreign.error().code, ErrorCode::kUnsupported);
  EXPECT_EQ(foreign.error().message, "acme:0: loading a kernel: ACME_FOREIGN (33): made for Acme Two (Acme 7 is too old)");
  kernel.abi.arguments.pop_back();
  EXPECT_EQ(runtime_->load(kernel).error().message, "the acme-o's kernel takes 2 arguments, its record says 1");
  kernel.binary.format = "cubin";
  EXPECT_EQ(runtime_->load(kernel).error().message, "a binary of format 'cubin' does not run on acme:0");
}

TEST_F(OtherVendor, AsksForSharedMemoryByItsOwnAttribute) {
  CompiledKernel kernel = fake_vendor::doubling_kernel();
  kernel.abi.shared_bytes.text = "2048";
  EXPECT_TRUE(runtime_->load(kernel).ok());
  kernel.abi.shared_bytes.text = "4096";
  EXPECT_EQ(runtime_->load(kernel).error().message,
            "it would not launch: a block needs 4.00 KiB of shared memory, one has 2.00 KiB");
}

// Its code for a stream that cannot wait is not CUDA's 801.
TEST_F(OtherVendor, IsTimedByItsEventsWithAndWithoutAGate) {
  const auto loaded = runtime_->load(fake_vendor::doubling_kernel());
  ASSERT_TRUE(loaded.ok()) << loaded.error().message;
  const Launch launch = launch_of(*loaded.value());
  for (const bool waits : {true, false}) {
    fake_vendor::state().waits = waits;
    for (const int repetitions : {1, 256, 1000}) {
      const auto timing = runtime_->time(std::vector{launch, launch}, repetitions);
      ASSERT_TRUE(timing.ok()) << timing.error().message;
      EXPECT_EQ(timing.value().source, TimingSource::kDeviceEvents);
      EXPECT_NEAR(timing.value().duration.count, repetitions * 4000.0 + 500, 1 + repetitions * 0.01) << repetitions;
    }
  }
}

TEST_F(OtherVendor, TellsThatMemoryIsOut) {
  const auto huge = runtime_->allocate({std::int64_t{200} << 30}, BufferRole::kIn);
  ASSERT_FALSE(huge.ok());
  EXPECT_EQ(huge.error().code, ErrorCode::kOutOfMemory);
  EXPECT_EQ(huge.error().message, "acme:0: allocating 200 GiB: ACME_NO_MEMORY (71)");
  EXPECT_TRUE(runtime_->allocate({100}, BufferRole::kIn).ok()) << "the device is still there";
  EXPECT_TRUE(lost_.empty());
}

TEST_F(OtherVendor, LosesItsDeviceOnce) {
  const auto loaded = runtime_->load(fake_vendor::doubling_kernel());
  const Launch launch = launch_of(*loaded.value());
  fake_vendor::state().launch = fake_vendor::kGone;
  ASSERT_TRUE(launch.executable->enqueue(launch.arguments).ok()) << "it is found when it is waited for";
  const auto faulted = runtime_->synchronize();
  ASSERT_FALSE(faulted.ok());
  EXPECT_EQ(faulted.error().code, ErrorCode::kCrashed);
  EXPECT_FALSE(runtime_->allocate({100}, BufferRole::kIn).ok());
  EXPECT_THAT(lost_, ElementsAre("acme:0: running a kernel: ACME_GONE (-5)"));
}

// 700 and 2 are codes of CUDA: an illegal address, and no memory. Here they mean nothing.
TEST_F(OtherVendor, KnowsNoCodeOfCuda) {
  EXPECT_EQ(driver_->vendor().meaning_of(2), ErrorCode::kLaunchFailed);
  EXPECT_FALSE(driver_->vendor().loses_device(700));
  EXPECT_TRUE(driver_->vendor().loses_device(fake_vendor::kLate));
  EXPECT_EQ(driver_->check(2, "copying").error().message, "copying: error 2");
}

TEST_F(OtherVendor, SaysWhichDeviceDoesNotOpen) {
  DeviceInfo second = fake_vendor::described_device();
  second.index = 1;
  EXPECT_EQ(StreamRuntime::open(driver_, second, compiler_, nullptr).error().message, "acme:1 (acmeGet): ACME_FOREIGN (33)");
}

TEST_F(OtherVendor, NamesItsOwnVariableThatMakesLaunchesWait) {
  test::Variables variables;
  variables.set("CUDA_LAUNCH_BLOCKING", "1");
  variables.set("ACME_ONE_BY_ONE", "never");
  EXPECT_EQ(why_ungated(driver_->vendor().blocking_variables), "");
  variables.set("ACME_ONE_BY_ONE", "always");
  EXPECT_THAT(why_ungated(driver_->vendor().blocking_variables), StartsWith("ACME_ONE_BY_ONE is set, which may make launches"));
}

TEST_F(OtherVendor, MeasuresItsCeilingsWithItsLanguageAndPrelude) {
  auto* const probe = dynamic_cast<CeilingProbe*>(runtime_.get());
  ASSERT_NE(probe, nullptr);
  const auto rates = probe->measure_flops(0.01);
  ASSERT_TRUE(rates.ok()) << rates.error().message;
  EXPECT_EQ(rates.value().front().kind, "flops");
  ASSERT_EQ(compiler_.sources.size(), 1U);
  EXPECT_EQ(compiler_.sources.front().language, "acme-c");
  EXPECT_THAT(compiler_.sources.front().text, StartsWith("// acme\nextern \"C\" FL_KERNEL"));
  compiler_.there = false;
  EXPECT_EQ(probe->measure_streams(1, 1, {64 << 10}, 0.01).value().size(), 1U) << "a copy by the driver";
}

}  // namespace
}  // namespace fuselab::gpu::stream
