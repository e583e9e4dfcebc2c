// SPDX-License-Identifier: Apache-2.0
#include "backends/rocm/driver/hip_device.h"

#include <gtest/gtest.h>

#include "core/kernel/virtual_target.h"
#include "tests/unit/rocm/fake_runtime.h"

namespace fuselab::hip {
namespace {

std::vector<DeviceInfo> devices_of(FakeRuntime& fake) {
  const auto found = describe_devices(*fake.driver());
  EXPECT_TRUE(found.ok()) << found.error().message;
  return found.value().devices;
}

TEST(HipDevice, IsDescribedByWhatTheRuntimeSays) {
  FakeRuntime fake;
  const auto devices = devices_of(fake);
  ASSERT_EQ(devices.size(), 1U);
  const DeviceInfo& device = devices.front();
  EXPECT_EQ(device.id, "rocm:0");
  EXPECT_EQ(device.backend, "rocm");
  EXPECT_EQ(device.type, "gpu");
  EXPECT_EQ(device.name, "AMD Fake MI300X");
  EXPECT_EQ(device.compute_units, 304);
  EXPECT_EQ(device.total_memory_bytes, std::int64_t{192} << 30);
  EXPECT_FALSE(device.free_memory_bytes) << "no device was opened to ask";
  EXPECT_FALSE(device.uses_host_memory());
  EXPECT_EQ(device.driver_version, "7.1");
  EXPECT_EQ(device.properties.at("features"), "sramecc+:xnack-");
  EXPECT_EQ(device.properties.at("pci"), "0000:c3:00.0");
  EXPECT_EQ(device.properties.at("uuid"), "GPU-9a2f3c04d1e5b860");
  EXPECT_EQ(device.properties.at("clock"), "2100 MHz");
  EXPECT_EQ(device.uuid.size(), 64U);
  EXPECT_EQ(device.target.id, "gfx942");
  EXPECT_EQ(device.target.arch, "hip");
}

// A kernel that is predicted without a device is predicted alike with one.
TEST(HipDevice, HasTheLimitsOfItsVirtualTarget) {
  FakeRuntime fake;
  const Target documented = virtual_target("gfx942").value().target;
  Target target = devices_of(fake).front().target;
  EXPECT_EQ(target.limits.at("multiprocessors"), 304);
  EXPECT_EQ(target.limits.at("l2_bytes"), 1 << 20);
  target.limits.erase("multiprocessors");
  target.limits.erase("l2_bytes");
  EXPECT_EQ(target.limits, documented.limits);
}

TEST(HipDevice, OfNoDocumentedArchitectureHasWhatTheRuntimeSays) {
  FakeRuntime fake;
  fake.behave("arch=gfx1234");
  const DeviceInfo device = devices_of(fake).front();
  EXPECT_EQ(device.target.id, "gfx1234");
  EXPECT_EQ(device.target.limits.at("shared_per_sm_bytes"), 64 << 10);
  EXPECT_EQ(device.target.limits.at("max_threads_per_sm"), 2048);
  EXPECT_FALSE(device.properties.contains("features"));
}

TEST(HipDevice, IsReadFromBothLayoutsOfItsProperties) {
  FakeRuntime fake;
  fake.use("FUSELAB_LIB_HIP", FAKE_HIP_5);
  const DeviceInfo device = devices_of(fake).front();
  EXPECT_EQ(device.target.id, "gfx942");
  EXPECT_EQ(device.properties.at("features"), "sramecc+:xnack-");
}

TEST(HipDevice, ThatDoesNotAnswerHidesNoOther) {
  FakeRuntime fake;
  fake.behave("devices=3,unwell=1");
  const auto found = describe_devices(*fake.driver());
  ASSERT_TRUE(found.ok()) << found.error().message;
  ASSERT_EQ(found.value().devices.size(), 2U);
  EXPECT_EQ(found.value().devices[1].id, "rocm:2");
  EXPECT_NE(found.value().devices[0].uuid, found.value().devices[1].uuid);
  EXPECT_EQ(found.value().note(), "rocm:1 is left out: it does not answer (hipDeviceGet): hipErrorInvalidDevice (101)");
  fake.behave("nameless");
  EXPECT_EQ(describe_devices(*fake.driver()).value().note(),
            "rocm:0 is left out: it does not tell its architecture (hipGetDeviceProperties)");
}

TEST(HipDevice, WithoutANumberIsToldByItsPlace) {
  FakeRuntime fake;
  fake.behave("devices=2,numberless");
  const auto devices = devices_of(fake);
  ASSERT_EQ(devices.size(), 2U);
  EXPECT_FALSE(devices[0].properties.contains("uuid"));
  EXPECT_NE(devices[0].silicon(), devices[1].silicon());
}

TEST(HipDevice, IsJoinedToItsSensorsByItsPlace) {
  FakeRuntime fake;
  fake.behave("devices=2");
  const auto devices = devices_of(fake);
  ASSERT_EQ(devices.size(), 2U);
  EXPECT_EQ(devices[0].properties.at("sensors"), "AMD SMI, driver 6.10.5");
  EXPECT_EQ(devices[1].properties.at("sensors"),
            "AMD SMI does not know 0000:c4:00.0 (amdsmi_get_processor_handle_from_bdf: AMDSMI_STATUS_NOT_FOUND: Device not found)");
  fake.use("FUSELAB_LIB_AMD_SMI", "/nonexistent/libamd_smi.so.26");
  EXPECT_EQ(devices_of(fake)[0].properties.at("sensors"), "AMD SMI: FUSELAB_LIB_AMD_SMI: /nonexistent/libamd_smi.so.26 not found");
}

}  // namespace
}  // namespace fuselab::hip
