// SPDX-License-Identifier: Apache-2.0
// A real worker on a library that looks like HIP's runtime and misbehaves: what the session makes of it.
#include <gmock/gmock.h>

#include "tests/faults/workers/gpu_workers.h"

namespace fuselab::engine {
namespace {

using testing::HasSubstr;

class RocmWorkers : public GpuWorkers {
 protected:
  RocmWorkers() : GpuWorkers("rocm") {}
  void SetUp() override {
    setenv("FUSELAB_LIB_HIP", FAKE_HIP, 1);
    setenv("FUSELAB_LIB_HIPRTC", FAKE_HIPRTC, 1);
    setenv("FUSELAB_LIB_COMGR", FAKE_HIPRTC, 1);
    behave("");
    open_pool({});
  }
  void TearDown() override {
    for (const auto* name : kVariables) unsetenv(name);
  }
  static constexpr const char* kVariables[] = {"FUSELAB_LIB_HIP", "FUSELAB_LIB_HIPRTC", "FUSELAB_LIB_COMGR", "FUSELAB_FAKE_HIP",
                                               "FUSELAB_FAKE_CUDA_RUNNER"};
  // Of processes that are started from here on.
  static void behave(const std::string& behaviour) { setenv("FUSELAB_FAKE_HIP", behaviour.c_str(), 1); }
  std::string why_unusable() {
    const auto report = pool_->probe("rocm");
    if (!report.ok()) return report.error().message;
    return report.value().availability.usable ? "it is usable" : report.value().availability.reason;
  }
};

TEST_F(RocmWorkers, ARuntimeThatDoesNotStartIsAnUnusableBackend) {
  behave("init=3");
  EXPECT_THAT(why_unusable(), HasSubstr("the HIP runtime does not start (hipInit: error 3); "));
}

TEST_F(RocmWorkers, ARuntimeThatCrashesIsAnUnusableBackend) {
  behave("init=crash");
  EXPECT_THAT(why_unusable(), HasSubstr("SIGABRT"));
}

TEST_F(RocmWorkers, ARuntimeThatHangsIsAnUnusableBackend) {
  behave("init=hang");
  open_pool(std::chrono::milliseconds(500));
  EXPECT_THAT(why_unusable(), HasSubstr("did not answer within 500 ms"));
}

// What a kernel does to its device costs its own trial. HIP's runtime ends the process itself where a kernel touches foreign
// memory.
TEST_F(RocmWorkers, WhatAKernelDoesCostsItsTrialAndAFreshWorkerGoesOn) {
  const auto report = pool_->probe("rocm");
  ASSERT_TRUE(report.ok() && !report.value().devices.empty());
  const DeviceInfo device = report.value().devices.front();
  Block block;
  block.device = device.id;
  block.protocol.launch_timeout = {1e9};
  auto plan = plan_of(device, "graph(x: f32[4194304]) { y = Relu(x); return y }");
  ASSERT_TRUE(plan.ok()) << plan.error().message;
  block.plans.push_back(std::move(plan).value());
  const struct {
    const char* behaviour;
    Outcome outcome;
    const char* reason;
  } cases[] = {{"launch=719", Outcome::kCrashed, "rocm:0: running a kernel: hipErrorLaunchFailure (719)"},
               {"launch=abort", Outcome::kCrashed, "Memory access fault by GPU node-1"},
               {"launch=hang", Outcome::kTimeout, ""},
               {"memory=9000000", Outcome::kSkipped, "needs 32.0 MiB"},
               {"", Outcome::kWrongResult, ""}};  // the fake's kernels do nothing, which verification finds out
  for (const auto& each : cases) {
    behave(each.behaviour);
    open_pool({});
    const auto measured = pool_->measure(device, block, {});
    ASSERT_TRUE(measured.ok()) << measured.error().message;
    EXPECT_EQ(measured.value().plans.front().outcome, each.outcome) << each.behaviour << measured.value().plans.front().reason;
    EXPECT_THAT(measured.value().plans.front().reason, HasSubstr(each.reason));
  }
}

// The whole path: generated for 64 lanes, "compiled", loaded, run by the executor on the host, verified against the reference,
// timed.
TEST_F(RocmWorkers, KernelsThatComputeAreMatchedAndTimed) {
  setenv("FUSELAB_FAKE_CUDA_RUNNER", FAKE_RUNNER, 1);
  const auto report = pool_->probe("rocm");
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
  ASSERT_TRUE(measured.ok()) << measured.error().message;
  const PlanResult& result = measured.value().plans.front();
  EXPECT_EQ(result.outcome, Outcome::kTimed) << result.reason;
  EXPECT_TRUE(result.verification.passed) << result.verification.detail;
  EXPECT_EQ(result.source, TimingSource::kDeviceEvents);
  EXPECT_EQ(result.samples.size(), 5U);
}

// What clang makes is read, loaded and launched as well; the fake runs none of it.
TEST_F(RocmWorkers, CodeObjectsOfClangAreLaunched) {
  unsetenv("FUSELAB_LIB_HIPRTC");
  const auto report = pool_->probe("rocm");
  ASSERT_TRUE(report.ok());
  const DeviceInfo device = report.value().devices.empty() ? DeviceInfo() : report.value().devices.front();
  auto plan = plan_of(device, "graph(x: f32[512]) { y = Relu(x); return y }");
  if (!plan.ok() && plan.error().code == ErrorCode::kUnavailable) GTEST_SKIP() << plan.error().message;
  ASSERT_TRUE(plan.ok()) << plan.error().message;
  Block block;
  block.device = device.id;
  block.plans.push_back(std::move(plan).value());
  const auto measured = pool_->measure(device, block, {});
  ASSERT_TRUE(measured.ok()) << measured.error().message;
  EXPECT_EQ(measured.value().plans.front().outcome, Outcome::kWrongResult) << measured.value().plans.front().reason;
}

}  // namespace
}  // namespace fuselab::engine
