// SPDX-License-Identifier: Apache-2.0
#include "backends/sensors/device_sensors.h"

#include <gtest/gtest.h>

#include "tests/support/environment_variables.h"

namespace fuselab::sensors {
namespace {

DeviceInfo gpu(const std::string& backend, const std::string& vendor) {
  DeviceInfo device;
  device.id = backend + ":0";
  device.backend = backend;
  device.type = "gpu";
  if (!vendor.empty()) device.properties["vendor"] = vendor;
  device.properties["uuid"] = "GPU-a0a1a2a3-a4a5-a6a7-a8a9-aaabacadaeaf";
  device.properties["pci"] = "0000:c3:00.0";
  return device;
}

class Sensors : public testing::Test {
 protected:
  Sensors() {
    variables_.set("FUSELAB_LIB_NVML", FAKE_NVML);
    variables_.set("FUSELAB_LIB_AMD_SMI", FAKE_AMD_SMI);
  }
  test::Variables variables_;
};

TEST_F(Sensors, AreThoseOfTheDevicesVendorWhicheverBackendDrivesIt) {
  EXPECT_EQ(sensors_text(gpu("cuda", "")), "NVML, driver 550.54.15");
  EXPECT_EQ(sensors_text(gpu("opencl", "NVIDIA Corporation")), "NVML, driver 550.54.15");
  EXPECT_EQ(sensors_text(gpu("opencl", "Advanced Micro Devices, Inc.")), "AMD SMI, driver 6.10.5");
  EXPECT_EQ(sensors_text(gpu("opencl", "AMD")), "AMD SMI, driver 6.10.5");
}

TEST_F(Sensors, AreNotReadOfOthers) {
  EXPECT_FALSE(are_read_of(gpu("opencl", "Intel(R) Corporation")));
  EXPECT_FALSE(are_read_of(gpu("opencl", "")));
  DeviceInfo processor = gpu("opencl", "AuthenticAMD");
  processor.type = "cpu";
  EXPECT_FALSE(are_read_of(processor));
  EXPECT_EQ(sensors_text(processor), "no library is known that reads the sensors of opencl:0");
}

TEST_F(Sensors, SayByWhatTheyCannotBeFound) {
  DeviceInfo unnamed = gpu("cuda", "");
  unnamed.properties.clear();
  EXPECT_EQ(sensors_text(unnamed), "the driver gives cuda:0 no UUID to find it in NVML by");
  DeviceInfo nowhere = gpu("opencl", "AMD");
  nowhere.properties.erase("pci");
  EXPECT_EQ(sensors_text(nowhere), "the driver gives opencl:0 no place on the PCI bus to find it in AMD SMI by");
}

TEST_F(Sensors, ThatFailOnceAreNotAskedAgain) {
  DeviceSensors sensors(gpu("opencl", "AMD"));
  EXPECT_EQ(sensors.driver_version(), "6.10.5");
  EXPECT_TRUE(sensors.state().ok());
  variables_.set("FUSELAB_FAKE_AMD_SMI", "metrics-code=2");
  EXPECT_FALSE(sensors.state().ok());
  variables_.set("FUSELAB_FAKE_AMD_SMI", "");
  const auto again = sensors.state();
  ASSERT_FALSE(again.ok());
  EXPECT_EQ(again.error().message, "AMD SMI does not tell why clocks are low (amdsmi_get_gpu_metrics_info: error 2)");
  EXPECT_EQ(sensors.driver_version(), "");
}

}  // namespace
}  // namespace fuselab::sensors
