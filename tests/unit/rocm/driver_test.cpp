// SPDX-License-Identifier: Apache-2.0
#include "backends/rocm/driver/hip_driver.h"

#include <gmock/gmock.h>

#include <cerrno>

#include "backends/rocm/driver/hip_vendor.h"
#include "backends/rocm/driver/kernel_driver.h"
#include "tests/unit/rocm/fake_runtime.h"

namespace fuselab::hip {
namespace {

constexpr const char* kNoKfd = "/nonexistent/kfd";

std::string why_not() {
  const auto driver = HipDriver::open(kNoKfd);
  return driver.ok() ? "it opened" : driver.error().message;
}

TEST(HipDriver, SaysThatThereIsNone) {
  FakeRuntime fake;
  fake.use("FUSELAB_LIB_HIP", "/nonexistent/libamdhip64.so.7");
  EXPECT_EQ(why_not(), "no HIP runtime here: FUSELAB_LIB_HIP: /nonexistent/libamdhip64.so.7 not found");
}

TEST(HipDriver, SaysThatItIsTooOld) {
  FakeRuntime fake;
  fake.behave("version=40321100");
  EXPECT_EQ(why_not(), "the HIP runtime is too old: it is 4.3, 5.2 is needed");
}

TEST(HipDriver, NamesTheFunctionThatItLacks) {
  FakeRuntime fake;
  fake.use("FUSELAB_LIB_HIP", HOLLOW);
  EXPECT_EQ(why_not(), HOLLOW " has no function hipInit: it is too old or not the library");
}

TEST(HipDriver, SaysWhyItDoesNotStart) {
  FakeRuntime fake;
  fake.behave("init=101");
  EXPECT_EQ(
      why_not(),
      "no AMD GPU: there is no /nonexistent/kfd: load the amdgpu driver, or start a container with --device /dev/kfd --device "
      "/dev/dri (hipInit: hipErrorInvalidDevice (101))");
  fake.behave("init=35");
  EXPECT_EQ(why_not(), "the amdgpu driver is too old for HIP 7.1: update it (hipInit: hipErrorInsufficientDriver (35))");
  fake.behave("init=12345");
  EXPECT_EQ(why_not(), "the HIP runtime does not start (hipInit: error 12345)") << "HIP calls it unknown, as it calls 999";
}

TEST(HipDriver, SaysWhoClosedTheKernelsDriver) {
  EXPECT_EQ(try_kernel_driver(kNoKfd), ENOENT);
  EXPECT_EQ(try_kernel_driver("/dev/null"), 0);
  EXPECT_EQ(why_no_gpu("/dev/kfd", EACCES),
            "/dev/kfd is closed to this user: add the user to the group render, or start a container with --group-add render");
  EXPECT_EQ(why_no_gpu("/dev/kfd", EPERM),
            "/dev/kfd is closed to this container: start a container with --device /dev/kfd --device /dev/dri");
  EXPECT_EQ(why_no_gpu("/dev/kfd", EIO), "/dev/kfd does not open: Input/output error");
  EXPECT_THAT(why_no_gpu("/dev/kfd", 0), testing::HasSubstr("ROCR_VISIBLE_DEVICES"));
}

TEST(HipDriver, OpensVersionsBeforeAndSince6) {
  FakeRuntime fake;
  EXPECT_EQ(fake.driver()->version(), "7.1");
  fake.use("FUSELAB_LIB_HIP", FAKE_HIP_5);
  EXPECT_EQ(fake.driver()->version(), "5.2");
}

// In processes of their own, as workers are.
TEST(HipDriverDeathTest, LeavesACrashToTheWorker) {
  FakeRuntime fake;
  fake.behave("init=crash");
  EXPECT_EXIT((void)HipDriver::open(), testing::KilledBySignal(SIGABRT), "");
}

TEST(HipVendor, TellsFaultsFromRefusals) {
  EXPECT_EQ(hip_vendor().meaning_of(abi::kOutOfMemory), ErrorCode::kOutOfMemory);
  EXPECT_EQ(hip_vendor().meaning_of(abi::kLaunchTimeout), ErrorCode::kTimeout);
  EXPECT_EQ(hip_vendor().meaning_of(abi::kNoBinaryForGpu), ErrorCode::kUnsupported);
  EXPECT_EQ(hip_vendor().meaning_of(abi::kInvalidImage), ErrorCode::kCorrupt);
  for (const abi::Code code : {abi::kIllegalAddress, abi::kLaunchFailure, abi::kLaunchTimeout, abi::kEccNotCorrectable})
    EXPECT_TRUE(hip_vendor().loses_device(code)) << code;
  for (const abi::Code code : {abi::kInvalidValue, abi::kOutOfMemory, abi::kNoBinaryForGpu})
    EXPECT_FALSE(hip_vendor().loses_device(code)) << code;
}

TEST(HipVendor, AdvisesAgainstCodeObjectsThatOldRuntimesDoNotLoad) {
  KernelBinary binary;
  EXPECT_EQ(hip_vendor().advice(50221153, binary), "");
  binary.data.resize(64);
  binary.data[8] = std::byte{2};
  EXPECT_EQ(hip_vendor().advice(50221153, binary), "") << "version 4";
  binary.data[8] = std::byte{3};
  EXPECT_EQ(hip_vendor().advice(50221153, binary), " (a code object of version 5, which HIP 5.2 is too old for: update ROCm)");
  EXPECT_EQ(hip_vendor().advice(50422804, binary), "");
  binary.data[8] = std::byte{4};
  EXPECT_EQ(hip_vendor().advice(50731921, binary), " (a code object of version 6, which HIP 5.7 is too old for: update ROCm)");
  EXPECT_EQ(hip_vendor().advice(60342131, binary), "");
}

}  // namespace
}  // namespace fuselab::hip
