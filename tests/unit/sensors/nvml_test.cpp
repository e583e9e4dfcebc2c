// SPDX-License-Identifier: Apache-2.0
#include "backends/sensors/nvml_monitor.h"

#include <gtest/gtest.h>

#include "tests/support/environment_variables.h"

namespace fuselab::sensors {
namespace {

constexpr const char* kFirst = "GPU-a0a1a2a3-a4a5-a6a7-a8a9-aaabacadaeaf";

class Nvml : public testing::Test {
 protected:
  Nvml() { variables_.set("FUSELAB_LIB_NVML", FAKE_NVML); }
  std::string why_not(const std::string& uuid = kFirst) {
    const auto monitor = NvmlMonitor::open(uuid);
    if (!monitor.ok()) return monitor.error().message;
    const auto state = monitor.value()->state();
    return state.ok() ? "it was read" : state.error().message;
  }

  test::Variables variables_;
};

TEST_F(Nvml, TellsClocksHeatPowerAndWhyItIsSlow) {
  variables_.set("FUSELAB_FAKE_NVML", "reasons=68");
  const auto monitor = NvmlMonitor::open(kFirst);
  ASSERT_TRUE(monitor.ok()) << monitor.error().message;
  EXPECT_EQ(monitor.value()->driver_version(), "550.54.15");
  const auto state = monitor.value()->state();
  ASSERT_TRUE(state.ok()) << state.error().message;
  EXPECT_EQ(state.value().throttle, kPowerCap | kHardwareThermal);
  EXPECT_EQ(state.value().core_mhz, 1980);
  EXPECT_EQ(state.value().memory_mhz, 3201);
  EXPECT_EQ(state.value().celsius, 47);
  EXPECT_EQ(state.value().watts, 312.5);
}

TEST_F(Nvml, LeavesOutWhatTheDeviceDoesNotTell) {
  variables_.set("FUSELAB_FAKE_NVML", "no-power");
  const auto monitor = NvmlMonitor::open(kFirst);
  ASSERT_TRUE(monitor.ok()) << monitor.error().message;
  EXPECT_EQ(monitor.value()->state().value().watts, 0);
}

TEST_F(Nvml, OfAnOlderDriverIsReadAsWell) {
  variables_.set("FUSELAB_LIB_NVML", FAKE_NVML_OF_BEFORE);
  variables_.set("FUSELAB_FAKE_NVML", "reasons=8");
  const auto monitor = NvmlMonitor::open(kFirst);
  ASSERT_TRUE(monitor.ok()) << monitor.error().message;
  EXPECT_EQ(monitor.value()->state().value().throttle, kHardwareSlowdown);
}

TEST_F(Nvml, ThatHangsIsLeftBehind) {
  const auto monitor = NvmlMonitor::open(kFirst, std::chrono::milliseconds(100));
  ASSERT_TRUE(monitor.ok()) << monitor.error().message;
  variables_.set("FUSELAB_FAKE_NVML", "hang");
  const auto state = monitor.value()->state();
  ASSERT_FALSE(state.ok());
  EXPECT_EQ(state.error().code, ErrorCode::kTimeout);
  EXPECT_EQ(state.error().message, "NVML does not answer within 100 ms");
}

TEST_F(Nvml, SaysWhyItIsOfNoUse) {
  EXPECT_EQ(why_not("GPU-none"), "NVML does not know GPU-none (nvmlDeviceGetHandleByUUID: Not Found)");
  variables_.set("FUSELAB_FAKE_NVML", "init=9");
  EXPECT_EQ(why_not(), "NVML does not start (nvmlInit: Driver Not Loaded)");
  variables_.set("FUSELAB_FAKE_NVML", "reasons-code=15");
  EXPECT_EQ(why_not(), "NVML does not tell why clocks are low (nvmlDeviceGetCurrentClocksEventReasons: GPU is lost)");
  variables_.set("FUSELAB_FAKE_NVML", "reasons-code=77");
  EXPECT_EQ(why_not(), "NVML does not tell why clocks are low (nvmlDeviceGetCurrentClocksEventReasons: error 77)");
  variables_.set("FUSELAB_LIB_NVML", "/nonexistent/libnvidia-ml.so.1");
  EXPECT_EQ(why_not(), "NVML: FUSELAB_LIB_NVML: /nonexistent/libnvidia-ml.so.1 not found");
  variables_.set("FUSELAB_LIB_NVML", HOLLOW);
  EXPECT_NE(why_not().find("has no function nvmlInit_v2"), std::string::npos) << why_not();
}

}  // namespace
}  // namespace fuselab::sensors
