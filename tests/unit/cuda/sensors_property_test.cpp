// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "backends/cuda/driver/cuda_device.h"
#include "tests/unit/cuda/fake_libraries.h"

namespace fuselab::cuda {
namespace {

TEST(CudaDevice, SaysByWhatItsSensorsAreRead) {
  Variables variables;
  FakeLibraries fakes;
  const auto sensors = [] {
    const auto driver = CudaDriver::open();
    const auto found = describe_devices(*driver.value());
    return found.value().devices.front().properties.at("sensors");
  };
  variables.set("FUSELAB_LIB_NVML", FAKE_NVML);
  EXPECT_EQ(sensors(), "NVML, driver 550.54.15");
  variables.set("FUSELAB_LIB_NVML", "/nonexistent/libnvidia-ml.so.1");
  EXPECT_EQ(sensors(), "NVML: FUSELAB_LIB_NVML: /nonexistent/libnvidia-ml.so.1 not found");
}

}  // namespace
}  // namespace fuselab::cuda
