// SPDX-License-Identifier: Apache-2.0
#include "backends/cuda/cuda_driver.h"

#include <gmock/gmock.h>

#include "backends/cuda/cuda_device.h"
#include "tests/unit/cuda/fake_libraries.h"

namespace fuselab::cuda {
namespace {

std::string why_not() {
  auto const driver = CudaDriver::open();
  return driver.ok() ? "it opened" : driver.error().message;
}

TEST(CudaDriver, SaysThatThereIsNone) {
  FakeLibraries fakes;
  fakes.use("FUSELAB_LIB_CUDA", "/nonexistent/libcuda.so.1");
  EXPECT_EQ(why_not(), "no NVIDIA driver here: FUSELAB_LIB_CUDA: /nonexistent/libcuda.so.1 not found");
}

TEST(CudaDriver, SaysThatItIsTooOld) {
  FakeLibraries fakes;
  fakes.driver("version=11040");
  EXPECT_EQ(why_not(), "the NVIDIA driver is too old: it supports CUDA 11.4, 12.0 is needed");
}

TEST(CudaDriver, NamesTheFunctionThatItLacks) {
  FakeLibraries fakes;
  fakes.use("FUSELAB_LIB_CUDA", HOLLOW);
  EXPECT_EQ(why_not(), "the NVIDIA driver (" HOLLOW ") has no function cuInit");
}

TEST(CudaDriver, SaysWhyItDoesNotStart) {
  FakeLibraries fakes;
  fakes.driver("init=100");
  EXPECT_EQ(why_not(), "no CUDA device (cuInit: CUDA_ERROR_NO_DEVICE (100))");
  fakes.driver("init=803");
  EXPECT_EQ(why_not(),
            "the NVIDIA driver's library and kernel module do not belong together: reboot, or reinstall the driver (cuInit: "
            "CUDA_ERROR_SYSTEM_DRIVER_MISMATCH (803))");
  fakes.driver("init=34");
  EXPECT_EQ(why_not(), "libcuda.so.1 is a stub to link against, not the driver (cuInit: CUDA_ERROR_STUB_LIBRARY (34))");
  fakes.driver("init=12345");
  EXPECT_EQ(why_not(), "the NVIDIA driver does not start (cuInit: error 12345)");
}

TEST(CudaDriver, OpensWithAndWithoutLookupByName) {
  FakeLibraries fakes;
  for (auto const* behaviour : {"", "plain"}) {
    fakes.driver(behaviour);
    auto const driver = CudaDriver::open();
    ASSERT_TRUE(driver.ok()) << driver.error().message;
    EXPECT_EQ(driver.value()->version(), "12.8");
  }
}

TEST(CudaDriver, TellsFaultsFromRefusals) {
  EXPECT_EQ(error_code_of(abi::kOutOfMemory), ErrorCode::kOutOfMemory);
  EXPECT_EQ(error_code_of(abi::kIllegalAddress), ErrorCode::kCrashed);
  EXPECT_EQ(error_code_of(abi::kLaunchTimeout), ErrorCode::kTimeout);
  EXPECT_EQ(error_code_of(abi::kNoBinaryForGpu), ErrorCode::kUnsupported);
  EXPECT_EQ(error_code_of(abi::kInvalidImage), ErrorCode::kCorrupt);
  EXPECT_EQ(error_code_of(abi::kLaunchOutOfResources), ErrorCode::kLaunchFailed);
  EXPECT_TRUE(is_fatal(abi::kIllegalAddress) && is_fatal(abi::kLaunchTimeout) && is_fatal(abi::kEccUncorrectable));
  EXPECT_FALSE(is_fatal(abi::kOutOfMemory) || is_fatal(abi::kNoBinaryForGpu) || is_fatal(abi::kLaunchOutOfResources));
}

TEST(CudaDevice, IsDescribedByWhatTheDriverSays) {
  FakeLibraries fakes;
  auto const driver = CudaDriver::open();
  ASSERT_TRUE(driver.ok()) << driver.error().message;
  auto const devices = describe_devices(*driver.value());
  ASSERT_TRUE(devices.ok()) << devices.error().message;
  ASSERT_EQ(devices.value().size(), 1U);
  const DeviceInfo& device = devices.value().front();
  EXPECT_EQ(device.id, "cuda:0");
  EXPECT_EQ(device.backend, "cuda");
  EXPECT_EQ(device.type, "gpu");
  EXPECT_EQ(device.name, "Fake H200");
  EXPECT_EQ(device.compute_capability, "9.0");
  EXPECT_EQ(device.compute_units, 132);
  EXPECT_EQ(device.total_memory_bytes, std::int64_t{143} << 30);
  EXPECT_FALSE(device.free_memory_bytes) << "no context was made to ask";
  EXPECT_FALSE(device.unified_memory || device.synthetic || device.uses_host_memory());
  EXPECT_EQ(device.driver_version, "12.8");
  EXPECT_EQ(device.properties.at("uuid"), "GPU-a0a1a2a3-a4a5-a6a7-a8a9-aaabacadaeaf");
  EXPECT_EQ(device.properties.at("pci"), "0000:19:00.0");
  EXPECT_EQ(device.properties.at("clock"), "1980 MHz");
  EXPECT_EQ(device.target.id, "sm_90");
  EXPECT_EQ(device.target.arch, "cuda");
  EXPECT_EQ(device.target.limits.at("shared_optin_bytes"), 232448);
  EXPECT_EQ(device.target.limits.at("multiprocessors"), 132);
  EXPECT_TRUE(device.other_targets.empty()) << "nothing before 9.0 runs on it";
  EXPECT_EQ(device.uuid.size(), 64U);
}

}  // namespace
}  // namespace fuselab::cuda
