// SPDX-License-Identifier: Apache-2.0
#include "backends/sensors/amd_smi_monitor.h"

#include <gtest/gtest.h>

#include "backends/sensors/amd_throttling.h"
#include "tests/support/environment_variables.h"

namespace fuselab::sensors {
namespace {

constexpr const char* kPlace = "0000:c3:00.0";

class AmdSmi : public testing::Test {
 protected:
  AmdSmi() { variables_.set("FUSELAB_LIB_AMD_SMI", FAKE_AMD_SMI); }
  void behave(const std::string& how) { variables_.set("FUSELAB_FAKE_AMD_SMI", how); }
  std::string why_not(const std::string& pci = kPlace) {
    const auto monitor = AmdSmiMonitor::open(pci);
    if (!monitor.ok()) return monitor.error().message;
    const auto state = monitor.value()->state();
    return state.ok() ? "it was read" : state.error().message;
  }
  // Of a reading with these bits set.
  std::uint64_t reasons_with(std::uint64_t status) {
    behave("status=" + std::to_string(status));
    const auto monitor = AmdSmiMonitor::open(kPlace);
    return monitor.ok() ? monitor.value()->state().value().throttle : 0xdead;
  }

  test::Variables variables_;
};

TEST_F(AmdSmi, TellsClocksHeatPowerAndTheDriver) {
  const auto monitor = AmdSmiMonitor::open(kPlace);
  ASSERT_TRUE(monitor.ok()) << monitor.error().message;
  EXPECT_EQ(monitor.value()->driver_version(), "6.10.5");
  const auto state = monitor.value()->state();
  ASSERT_TRUE(state.ok()) << state.error().message;
  EXPECT_EQ(state.value().throttle, 0U);
  EXPECT_EQ(state.value().core_mhz, 2104);
  EXPECT_EQ(state.value().memory_mhz, 1300);
  EXPECT_EQ(state.value().celsius, 64);
  EXPECT_EQ(state.value().watts, 512);
}

TEST_F(AmdSmi, TakesWhatElseADeviceTells) {
  behave("few");
  const auto monitor = AmdSmiMonitor::open(kPlace);
  ASSERT_TRUE(monitor.ok()) << monitor.error().message;
  const auto state = monitor.value()->state();
  ASSERT_TRUE(state.ok()) << state.error().message;
  EXPECT_EQ(state.value().core_mhz, 1999) << "of its first part, where parts have clocks of their own";
  EXPECT_EQ(state.value().celsius, 51) << "at the edge";
  EXPECT_EQ(state.value().watts, 407) << "on average";
}

TEST_F(AmdSmi, TellsWhyClocksAreLowByTheBitsThatAllChipsShare) {
  EXPECT_EQ(reasons_with(std::uint64_t{1} << 0), kPowerCap);
  EXPECT_EQ(reasons_with(std::uint64_t{1} << 16), kPowerCap) << "a limit of current";
  EXPECT_EQ(reasons_with(std::uint64_t{1} << 36), kHardwareThermal) << "the hotspot";
  EXPECT_EQ(reasons_with(std::uint64_t{1} << 45), kHardwareThermal) << "a voltage regulator";
  EXPECT_EQ(reasons_with(std::uint64_t{1} << 47), kHardwareSlowdown) << "the line that says hot";
  EXPECT_EQ(reasons_with((std::uint64_t{1} << 3) | (std::uint64_t{1} << 34)), kPowerCap | kHardwareThermal);
  EXPECT_EQ(reasons_with(std::uint64_t{1} << 57), 0U) << "of which nothing says what it means";
}

TEST_F(AmdSmi, TellsWhyClocksAreLowByCountsThatGoUp) {
  behave("no-status,cycles=17");
  const auto monitor = AmdSmiMonitor::open(kPlace);
  ASSERT_TRUE(monitor.ok()) << monitor.error().message;
  EXPECT_EQ(monitor.value()->state().value().throttle, 0U) << "nothing to compare with";
  EXPECT_EQ(monitor.value()->state().value().throttle, 0U) << "as many as before";
  behave("no-status,cycles=18");
  EXPECT_EQ(monitor.value()->state().value().throttle, kPowerCap);
  behave("no-status,cycles=18,hot-cycles=1");
  EXPECT_EQ(monitor.value()->state().value().throttle, kHardwareThermal);
}

TEST(AmdThrottling, ACountThatIsNotToldIsNoLargerOne) {
  const SlowedCycles before{1, 1, 1, 1, 1};
  SlowedCycles now = before;
  now.package_power = abi::kAmdSmiNone64;
  EXPECT_EQ(reasons_between(before, now), 0U);
  EXPECT_EQ(reasons_between(now, before), 0U);
  now.package_power = 2;
  EXPECT_EQ(reasons_between(before, now), kPowerCap);
}

// Where the counts lie was read in the header of library 26; of older ones they are not taken.
TEST_F(AmdSmi, OfAnOlderLibraryGivesItsStatusAlone) {
  behave("version=24,status=4");
  EXPECT_EQ(AmdSmiMonitor::open(kPlace).value()->state().value().throttle, kPowerCap);
  behave("version=24,no-status,cycles=17");
  EXPECT_EQ(why_not(),
            "AMD SMI does not tell why clocks are low: this device has no throttle status, and its library no counts of it");
}

TEST_F(AmdSmi, ThatHangsIsLeftBehind) {
  const auto monitor = AmdSmiMonitor::open(kPlace, std::chrono::milliseconds(100));
  ASSERT_TRUE(monitor.ok()) << monitor.error().message;
  behave("hang");
  const auto state = monitor.value()->state();
  ASSERT_FALSE(state.ok());
  EXPECT_EQ(state.error().code, ErrorCode::kTimeout);
  EXPECT_EQ(state.error().message, "AMD SMI does not answer within 100 ms");
}

TEST_F(AmdSmi, SaysWhyItIsOfNoUse) {
  EXPECT_EQ(why_not("0000:01:00.0"),
            "AMD SMI does not know 0000:01:00.0 (amdsmi_get_processor_handle_from_bdf: AMDSMI_STATUS_NOT_FOUND: Device not found)");
  EXPECT_EQ(why_not("c3:00"), "AMD SMI: 'c3:00' is no place on the PCI bus");
  behave("init=34");
  EXPECT_EQ(why_not(), "AMD SMI does not start (amdsmi_init: AMDSMI_STATUS_DRIVER_NOT_LOADED: Driver not loaded)");
  behave("version=27");
  EXPECT_EQ(why_not(), "AMD SMI 27.1 is not known here: what it tells may lie elsewhere than in 23 to 26");
  behave("metrics-code=2");
  EXPECT_EQ(why_not(), "AMD SMI does not tell why clocks are low (amdsmi_get_gpu_metrics_info: error 2)");
  variables_.set("FUSELAB_LIB_AMD_SMI", "/nonexistent/libamd_smi.so.26");
  EXPECT_EQ(why_not(), "AMD SMI: FUSELAB_LIB_AMD_SMI: /nonexistent/libamd_smi.so.26 not found");
  variables_.set("FUSELAB_LIB_AMD_SMI", HOLLOW);
  EXPECT_NE(why_not().find("has no function amdsmi_init"), std::string::npos) << why_not();
}

}  // namespace
}  // namespace fuselab::sensors
