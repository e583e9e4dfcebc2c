// SPDX-License-Identifier: Apache-2.0
// The fake driver is as strict as the real one where that can be known without a device: what it lets pass would pass there.
#include <gmock/gmock.h>

#include <thread>

#include "backends/cuda/driver/cuda_driver.h"
#include "backends/gpu/stream/device_context.h"
#include "tests/support/fake_cuda/fake_state.h"
#include "tests/unit/cuda/fake_libraries.h"

namespace fuselab::cuda {
namespace {

class StrictCudaDriver : public testing::Test {
 protected:
  void SetUp() override {
    const auto driver = CudaDriver::open();
    ASSERT_TRUE(driver.ok()) << driver.error().message;
    driver_ = driver.value();
    calls_ = &driver_->calls();
  }

  FakeLibraries fakes_;
  std::shared_ptr<const CudaDriver> driver_;
  const abi::DriverFunctions* calls_ = nullptr;
  abi::DevicePointer memory_ = 0;
};

TEST_F(StrictCudaDriver, WantsAContextOfTheCallingThread) {
  EXPECT_EQ(calls_->context_set(reinterpret_cast<abi::Context>(&memory_)), fake_cuda::kInvalidContext) << "nobody made it";
  EXPECT_EQ(calls_->allocate(&memory_, 100), fake_cuda::kInvalidContext);
  const auto context = gpu::stream::DeviceContext::open(driver_, 0, nullptr);
  ASSERT_TRUE(context.ok()) << context.error().message;
  EXPECT_EQ(calls_->allocate(&memory_, 100), abi::kSuccess);
  abi::Code elsewhere = abi::kSuccess;
  std::thread([&] { elsewhere = calls_->fill_32(memory_, 0, 25, context.value()->stream()); }).join();
  EXPECT_EQ(elsewhere, fake_cuda::kInvalidContext);
  EXPECT_EQ(calls_->release(memory_), abi::kSuccess);
}

TEST_F(StrictCudaDriver, EndsARecordingInWhichSomethingElseIsDone) {
  const auto opened = gpu::stream::DeviceContext::open(driver_, 0, nullptr);
  ASSERT_TRUE(opened.ok()) << opened.error().message;
  const abi::Stream stream = opened.value()->stream();
  ASSERT_EQ(calls_->allocate(&memory_, 100), abi::kSuccess);
  abi::Graph graph = nullptr;
  EXPECT_EQ(calls_->capture_end(stream, &graph), fake_cuda::kIllegalState) << "nothing is recorded";
  abi::DevicePointer other = 0;
  void* pinned = nullptr;
  abi::Module module = nullptr;
  const std::function<abi::Code()> forbidden[] = {
      [&] { return calls_->stream_synchronize(stream); },
      [&] { return calls_->allocate(&other, 100); },
      [&] { return calls_->release(memory_); },
      [&] { return calls_->host_allocate(&pinned, 100, 0); },
      [&] { return calls_->module_load(&module, "", 0, nullptr, nullptr); },
  };
  for (const auto& call : forbidden) {
    ASSERT_EQ(calls_->capture_begin(stream, abi::kCaptureThreadLocal), abi::kSuccess);
    EXPECT_EQ(calls_->fill_32(memory_, 0, 25, stream), abi::kSuccess);
    EXPECT_EQ(call(), fake_cuda::kCaptureUnsupported);
    EXPECT_EQ(calls_->capture_end(stream, &graph), fake_cuda::kCaptureInvalidated);
  }
  ASSERT_EQ(calls_->capture_begin(stream, abi::kCaptureThreadLocal), abi::kSuccess);
  EXPECT_EQ(calls_->fill_32(memory_, 0, 25, stream), abi::kSuccess);
  EXPECT_EQ(calls_->capture_end(stream, &graph), abi::kSuccess) << "a spoilt recording spoils none after it";
  calls_->graph_destroy(graph);
  EXPECT_EQ(calls_->release(memory_), abi::kSuccess);
}

}  // namespace
}  // namespace fuselab::cuda
