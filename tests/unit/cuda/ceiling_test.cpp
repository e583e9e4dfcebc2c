// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>

#include <algorithm>
#include <map>

#include "backends/cuda/compiler/nvrtc_compiler.h"
#include "backends/cuda/driver/cuda_device.h"
#include "backends/gpu/stream/stream_runtime.h"
#include "tests/unit/cuda/fake_libraries.h"

namespace fuselab::cuda {
namespace {

class CudaCeilings : public testing::Test {
 protected:
  void SetUp() override {
    fakes_.use("FUSELAB_FAKE_CUDA_RUNNER", "");
    const auto driver = CudaDriver::open();
    ASSERT_TRUE(driver.ok()) << driver.error().message;
    auto opened = gpu::stream::StreamRuntime::open(driver.value(), describe_devices(*driver.value()).value().devices.front(),
                                                   compiler_, nullptr);
    ASSERT_TRUE(opened.ok()) << opened.error().message;
    runtime_ = std::move(opened).value();
    probe_ = dynamic_cast<CeilingProbe*>(runtime_.get());
    ASSERT_NE(probe_, nullptr);
  }

  FakeLibraries fakes_;
  NvrtcCompiler compiler_;
  std::unique_ptr<DeviceRuntime> runtime_;
  CeilingProbe* probe_ = nullptr;
};

TEST_F(CudaCeilings, MeasureAMixPerBlockSizeAndStoreKind) {
  const auto rows = probe_->measure_streams(2, 1, {96 << 10}, 0.01);
  ASSERT_TRUE(rows.ok()) << rows.error().message;
  EXPECT_EQ(rows.value().size(), 6U);
  for (const Ceiling& row : rows.value()) {
    EXPECT_EQ(row.kind, "stream");
    EXPECT_EQ(row.read_streams, 2);
    EXPECT_EQ(row.write_streams, 1);
    EXPECT_EQ(row.footprint.count, 96 << 10);
    // 96 KiB in the fake's 2 µs per launch, and its events' half a microsecond.
    EXPECT_GT(row.per_second, 35e9);
    EXPECT_LT(row.per_second, 70e9);
    EXPECT_LE(row.low, row.per_second);
    EXPECT_GE(row.high, row.per_second);
  }
}

TEST_F(CudaCeilings, ReadOnlyMixesHaveOneStoreKind) {
  const auto rows = probe_->measure_streams(1, 0, {64 << 10}, 0.01);
  ASSERT_TRUE(rows.ok()) << rows.error().message;
  EXPECT_EQ(rows.value().size(), 3U);
  EXPECT_FALSE(probe_->measure_streams(0, 0, {64 << 10}, 0.01).ok());
}

TEST_F(CudaCeilings, AreNeverBelowTheDriversOwnCopy) {
  // The fake copies 1000 bytes per nanosecond after a microsecond: 8 MiB in 9.4 µs, whereas its kernels take 2 µs whatever they do.
  // With half the bytes the copy is slower; with the compiler away it is all there is.
  fakes_.use("FUSELAB_LIB_NVRTC", "/nonexistent");
  const auto rows = probe_->measure_streams(1, 1, {8 << 20}, 0.01);
  ASSERT_TRUE(rows.ok()) << rows.error().message;
  ASSERT_EQ(rows.value().size(), 1U);
  EXPECT_NEAR(rows.value().front().per_second, (8 << 20) / 9.4e-6, 0.1e12);
  const auto alone = probe_->measure_streams(1, 0, {8 << 20}, 0.01);
  ASSERT_FALSE(alone.ok());
  EXPECT_EQ(alone.error().code, ErrorCode::kUnavailable);
}

TEST_F(CudaCeilings, CoverArithmeticLaunchesAndTheHost) {
  const auto rows = probe_->measure_flops(0.05);
  ASSERT_TRUE(rows.ok()) << rows.error().message;
  std::map<std::string, double> rate;
  for (const Ceiling& row : rows.value()) rate[row.kind] = row.per_second;
  ASSERT_EQ(rate.size(), 6U);
  EXPECT_GT(rate.at("flops"), 0);
  EXPECT_GT(rate.at("flops-f64"), 0);
  EXPECT_NEAR(rate.at("launch"), 500e3, 50e3);
  EXPECT_NEAR(rate.at("launch-eager"), 500e3, 50e3);
  EXPECT_GT(rate.at("host-to-device"), 0);
  EXPECT_GT(rate.at("device-to-host"), 0);
}

}  // namespace
}  // namespace fuselab::cuda
