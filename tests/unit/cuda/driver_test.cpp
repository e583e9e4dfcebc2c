// SPDX-License-Identifier: Apache-2.0
#include "backends/cuda/driver/cuda_driver.h"

#include <gmock/gmock.h>

#include "backends/cuda/driver/cuda_device.h"
#include "backends/cuda/driver/cuda_vendor.h"
#include "tests/unit/cuda/fake_libraries.h"

namespace fuselab::cuda {
namespace {

std::string why_not() {
  const auto driver = CudaDriver::open();
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
  for (const auto* behaviour : {"", "plain"}) {
    fakes.driver(behaviour);
    const auto driver = CudaDriver::open();
    ASSERT_TRUE(driver.ok()) << driver.error().message;
    EXPECT_EQ(driver.value()->version(), "12.9");
  }
}

TEST(CudaDriver, TellsFaultsFromRefusals) {
  EXPECT_EQ(cuda_vendor().meaning_of(abi::kOutOfMemory), ErrorCode::kOutOfMemory);
  EXPECT_EQ(cuda_vendor().meaning_of(abi::kIllegalAddress), ErrorCode::kCrashed);
  EXPECT_EQ(cuda_vendor().meaning_of(abi::kLaunchTimeout), ErrorCode::kTimeout);
  EXPECT_EQ(cuda_vendor().meaning_of(abi::kNoBinaryForGpu), ErrorCode::kUnsupported);
  EXPECT_EQ(cuda_vendor().meaning_of(abi::kInvalidImage), ErrorCode::kCorrupt);
  EXPECT_EQ(cuda_vendor().meaning_of(abi::kLaunchOutOfResources), ErrorCode::kLaunchFailed);
  for (const abi::Code code : {abi::kIllegalAddress, abi::kLaunchTimeout, abi::kEccUncorrectable}) {
    EXPECT_TRUE(cuda_vendor().loses_device(code)) << code;
  }
  for (const abi::Code code : {abi::kOutOfMemory, abi::kNoBinaryForGpu, abi::kLaunchOutOfResources}) {
    EXPECT_FALSE(cuda_vendor().loses_device(code)) << code;
  }
}

TEST(CudaDevice, IsDescribedByWhatTheDriverSays) {
  FakeLibraries fakes;
  const auto driver = CudaDriver::open();
  ASSERT_TRUE(driver.ok()) << driver.error().message;
  const auto devices = describe_devices(*driver.value());
  ASSERT_TRUE(devices.ok()) << devices.error().message;
  ASSERT_EQ(devices.value().devices.size(), 1U);
  const DeviceInfo& device = devices.value().devices.front();
  EXPECT_EQ(device.id, "cuda:0");
  EXPECT_EQ(device.backend, "cuda");
  EXPECT_EQ(device.type, "gpu");
  EXPECT_EQ(device.name, "Fake H200");
  EXPECT_EQ(device.compute_capability, "9.0");
  EXPECT_EQ(device.compute_units, 132);
  EXPECT_EQ(device.total_memory_bytes, std::int64_t{143} << 30);
  EXPECT_FALSE(device.free_memory_bytes) << "no context was made to ask";
  EXPECT_FALSE(device.unified_memory || device.synthetic || device.uses_host_memory());
  EXPECT_EQ(device.driver_version, "12.9");
  EXPECT_EQ(device.properties.at("uuid"), "GPU-a0a1a2a3-a4a5-a6a7-a8a9-aaabacadaeaf");
  EXPECT_EQ(device.properties.at("pci"), "0000:19:00.0");
  EXPECT_EQ(device.properties.at("clock"), "1980 MHz");
  EXPECT_EQ(device.target.id, "sm_90a") << "it has more than sm_90, whose code it runs as well";
  EXPECT_EQ(device.target.arch, "cuda");
  EXPECT_EQ(device.target.limits.at("shared_optin_bytes"), 232448);
  EXPECT_EQ(device.target.limits.at("multiprocessors"), 132);
  ASSERT_EQ(device.other_targets.size(), 1U) << "nothing before 9.0 runs on it";
  EXPECT_EQ(device.other_targets.front().id, "sm_90");
  EXPECT_EQ(device.other_targets.front().limits, device.target.limits);
  EXPECT_EQ(device.uuid.size(), 64U);
  ASSERT_EQ(device.attributes.size(), 134U) << "all that CUDA 12.4 has, and none that only 13.0 is known to have";
  EXPECT_EQ(device.attributes.front().name, "MAX_THREADS_PER_BLOCK");
  EXPECT_EQ(device.attributes.at(74).name, "COMPUTE_CAPABILITY_MAJOR");
  EXPECT_EQ(device.attributes.at(74).number, 75);
  EXPECT_EQ(device.attributes.at(74).value, 9);
}

TEST(CudaDevice, ThatDoesNotAnswerHidesNoOther) {
  FakeLibraries fakes;
  fakes.driver("devices=3,unwell=1");
  const auto driver = CudaDriver::open();
  ASSERT_TRUE(driver.ok()) << driver.error().message;
  const auto found = describe_devices(*driver.value());
  ASSERT_TRUE(found.ok()) << found.error().message;
  ASSERT_EQ(found.value().devices.size(), 2U);
  EXPECT_EQ(found.value().devices[0].id, "cuda:0");
  EXPECT_EQ(found.value().devices[1].id, "cuda:2");
  EXPECT_NE(found.value().devices[0].uuid, found.value().devices[1].uuid);
  EXPECT_EQ(found.value().note(), "cuda:1 is left out: it does not answer (cuDeviceGet): CUDA_ERROR_DEVICE_UNAVAILABLE (46)");
}

std::string lower_than(int major, int minor) {
  std::string ids;
  const std::string own = "sm_" + std::to_string(10 * major + minor) + (major == 9 ? "a" : "");
  for (const Target& each : lower_targets({own, "cuda", {{"warp", 32}}}, major, minor)) {
    EXPECT_EQ(each.limits.at("warp"), 32);
    ids += (ids.empty() ? "" : " ") + each.id;
  }
  return ids;
}

// Binary code goes from one minor revision to the next, but never between Tegra's processors and others.
TEST(CudaDevice, RunsNoCodeOfEmbeddedProcessors) {
  EXPECT_EQ(lower_than(8, 9), "sm_86 sm_80");
  EXPECT_EQ(lower_than(8, 7), "") << "is one itself";
  EXPECT_EQ(lower_than(8, 6), "sm_80");
  EXPECT_EQ(lower_than(9, 0), "sm_90") << "code of sm_90a is its own";
  EXPECT_EQ(lower_than(10, 3), "sm_100");
  EXPECT_EQ(lower_than(11, 0), "");
  EXPECT_EQ(lower_than(12, 1), "sm_120");
}

TEST(CudaDriver, TellsItsVersionWithoutBeingStarted) {
  FakeLibraries fakes;
  fakes.driver("version=12040,init=crash");
  EXPECT_EQ(supported_cuda(), 12040);
  fakes.driver("version=11080");
  EXPECT_FALSE(supported_cuda());
  fakes.use("FUSELAB_LIB_CUDA", "/nonexistent/libcuda.so.1");
  EXPECT_FALSE(supported_cuda());
}

}  // namespace
}  // namespace fuselab::cuda
