// SPDX-License-Identifier: Apache-2.0
// A real worker on libraries that look like NVIDIA's and misbehave: what the session makes of it.
#include <gmock/gmock.h>

#include "tests/faults/workers/gpu_workers.h"

namespace fuselab::engine {
namespace {

using testing::HasSubstr;

class CudaWorkers : public GpuWorkers {
 protected:
  CudaWorkers() : GpuWorkers("cuda") {}
  void SetUp() override {
    setenv("FUSELAB_LIB_CUDA", FAKE_DRIVER, 1);
    setenv("FUSELAB_LIB_NVRTC", FAKE_NVRTC, 1);
    behave("");
    open_pool({});
  }
  void TearDown() override {
    for (const auto* name : {"FUSELAB_LIB_CUDA", "FUSELAB_LIB_NVRTC", "FUSELAB_FAKE_CUDA"}) unsetenv(name);
  }
  // Of processes that are started from here on.
  static void behave(const std::string& behaviour) { setenv("FUSELAB_FAKE_CUDA", behaviour.c_str(), 1); }
};

TEST_F(CudaWorkers, ADriverThatHangsWhenItStartsIsAnUnusableBackend) {
  behave("init=hang");
  open_pool(std::chrono::milliseconds(500));
  const auto report = pool_->probe("cuda");
  ASSERT_TRUE(report.ok()) << report.error().message;
  EXPECT_FALSE(report.value().availability.usable);
  EXPECT_THAT(report.value().availability.reason, HasSubstr("did not answer within 500 ms"));
}

TEST_F(CudaWorkers, AKernelThatFaultsCostsItsTrialAndAFreshWorkerGoesOn) {
  const auto report = pool_->probe("cuda");
  ASSERT_TRUE(report.ok() && report.value().availability.usable) << report.value().availability.reason;
  const DeviceInfo device = report.value().devices.front();
  behave("faulty=Tanh");
  Block block;
  block.device = device.id;
  for (const auto* text : {"graph(x: f32[512]) { y = Relu(x); return y }", "graph(x: f32[512]) { y = Tanh(x); return y }",
                           "graph(x: f32[512]) { y = Neg(x); return y }"}) {
    auto plan = plan_of(device, text);
    ASSERT_TRUE(plan.ok()) << plan.error().message;
    block.plans.push_back(std::move(plan).value());
  }
  const auto measured = pool_->measure(device, block, {});
  ASSERT_TRUE(measured.ok()) << measured.error().message;
  const auto& plans = measured.value().plans;
  ASSERT_EQ(plans.size(), 3U);
  // The fake's kernels do nothing, which verification finds out; the one that faults ends its worker, and says why.
  EXPECT_EQ(plans[0].outcome, Outcome::kWrongResult) << plans[0].reason;
  EXPECT_EQ(plans[1].outcome, Outcome::kCrashed) << plans[1].reason;
  EXPECT_THAT(plans[1].reason, HasSubstr("cuda:0: running a kernel: CUDA_ERROR_ILLEGAL_ADDRESS (700)"));
  EXPECT_EQ(plans[2].outcome, Outcome::kWrongResult) << plans[2].reason;
  EXPECT_NE(measured.value().process_ids[1], measured.value().process_ids[2]);
}

TEST_F(CudaWorkers, AKernelThatHangsCostsItsTimeAndAFreshWorkerGoesOn) {
  const auto report = pool_->probe("cuda");
  ASSERT_TRUE(report.ok() && report.value().availability.usable) << report.value().availability.reason;
  const DeviceInfo device = report.value().devices.front();
  behave("launch=hang");
  Block block;
  block.device = device.id;
  block.protocol.launch_timeout = {1e9};
  for (const auto* text : {"graph(x: f32[512]) { y = Relu(x); return y }", "graph(x: f32[512]) { y = Neg(x); return y }"}) {
    auto plan = plan_of(device, text);
    ASSERT_TRUE(plan.ok()) << plan.error().message;
    block.plans.push_back(std::move(plan).value());
  }
  const auto measured = pool_->measure(device, block, {});
  ASSERT_TRUE(measured.ok()) << measured.error().message;
  for (const PlanResult& plan : measured.value().plans) EXPECT_EQ(plan.outcome, Outcome::kTimeout) << plan.reason;
  EXPECT_NE(measured.value().process_ids[0], measured.value().process_ids[1]);
  behave("");
  block.plans.erase(block.plans.begin());
  const auto again = pool_->measure(device, block, {});
  ASSERT_TRUE(again.ok()) << again.error().message;
  EXPECT_EQ(again.value().plans.front().outcome, Outcome::kWrongResult) << "the device is still there";
}

TEST_F(CudaWorkers, MemoryThatIsOutCostsItsTrialAlone) {
  const auto report = pool_->probe("cuda");
  ASSERT_TRUE(report.ok() && !report.value().devices.empty());
  const DeviceInfo device = report.value().devices.front();
  Block block;
  block.device = device.id;
  for (const auto* text : {"graph(x: f32[4194304]) { y = Relu(x); return y }", "graph(x: f32[512]) { y = Neg(x); return y }"}) {
    auto plan = plan_of(device, text);
    ASSERT_TRUE(plan.ok()) << plan.error().message;
    block.plans.push_back(std::move(plan).value());
  }
  behave("memory=9000000");
  const auto measured = pool_->measure(device, block, {});
  ASSERT_TRUE(measured.ok()) << measured.error().message;
  EXPECT_EQ(measured.value().plans[0].outcome, Outcome::kSkipped) << measured.value().plans[0].reason;
  EXPECT_THAT(measured.value().plans[0].reason, HasSubstr("32.0 MiB"));
  EXPECT_EQ(measured.value().plans[1].outcome, Outcome::kWrongResult) << "the device is still there";
}

// The whole path: generated, "compiled", loaded, run by the executor on the host, verified against the reference, timed.
TEST_F(CudaWorkers, KernelsThatComputeAreMatchedAndTimed) {
  setenv("FUSELAB_FAKE_CUDA_RUNNER", FAKE_RUNNER, 1);
  const auto report = pool_->probe("cuda");
  ASSERT_TRUE(report.ok() && !report.value().devices.empty());
  const DeviceInfo device = report.value().devices.front();
  Block block;
  block.device = device.id;
  block.protocol.samples = 5;
  block.protocol.warmup = 1;
  block.protocol.min_sample = {1};  // every run is one of the executor's
  auto plan = plan_of(device, "graph(x: f32[4,96]) { y = Softmax(x); return y }");
  ASSERT_TRUE(plan.ok()) << plan.error().message;
  block.plans.push_back(std::move(plan).value());
  const auto measured = pool_->measure(device, block, {});
  unsetenv("FUSELAB_FAKE_CUDA_RUNNER");
  ASSERT_TRUE(measured.ok()) << measured.error().message;
  const PlanResult& result = measured.value().plans.front();
  EXPECT_EQ(result.outcome, Outcome::kTimed) << result.reason;
  EXPECT_TRUE(result.verification.passed) << result.verification.detail;
  EXPECT_EQ(result.source, TimingSource::kDeviceEvents);
  EXPECT_EQ(result.samples.size(), 5U);
}

// The same with rotating buffers: each set is run and verified, and samples are several launches.
TEST_F(CudaWorkers, RotatingBuffersAreVerifiedAndTimed) {
  setenv("FUSELAB_FAKE_CUDA_RUNNER", FAKE_RUNNER, 1);
  behave("l2=2048");  // twice that is three times what is read
  const auto report = pool_->probe("cuda");
  ASSERT_TRUE(report.ok() && !report.value().devices.empty());
  const DeviceInfo device = report.value().devices.front();
  Block block;
  block.device = device.id;
  block.protocol.mode = CacheMode::kRotating;
  block.protocol.samples = 5;
  block.protocol.warmup = 1;
  block.protocol.min_sample = {1.5e6};  // two of the executor's
  auto plan = plan_of(device, "graph(x: f32[4,96]) { y = Softmax(x); return y }");
  ASSERT_TRUE(plan.ok()) << plan.error().message;
  block.plans.push_back(std::move(plan).value());
  const auto measured = pool_->measure(device, block, {});
  unsetenv("FUSELAB_FAKE_CUDA_RUNNER");
  ASSERT_TRUE(measured.ok()) << measured.error().message;
  const PlanResult& result = measured.value().plans.front();
  EXPECT_EQ(result.outcome, Outcome::kTimed) << result.reason;
  EXPECT_EQ(result.verification.detail, "each of 3 sets of buffers");
  EXPECT_EQ(result.inner_repetitions, 2);
  EXPECT_EQ(result.samples.size(), 5U);
}

}  // namespace
}  // namespace fuselab::engine
