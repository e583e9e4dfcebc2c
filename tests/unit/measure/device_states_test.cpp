// SPDX-License-Identifier: Apache-2.0
#include "core/measure/device_states.h"

#include <gtest/gtest.h>

#include "core/measure/disturbance.h"

namespace fuselab {
namespace {

TEST(DeviceStates, KeepTheWorstOfWhatWasRead) {
  DeviceStates states;
  note(states, {0, 1980, 3201, 40, 300});
  note(states, {kPowerCap, 1700, 3201, 52, 690});
  note(states, {0, 1900, 2600, 50, 500});
  EXPECT_EQ(states.readings, 3);
  EXPECT_EQ(states.throttle, kPowerCap);
  EXPECT_EQ(states.core_mhz_low, 1700);
  EXPECT_EQ(states.core_mhz_high, 1980);
  EXPECT_EQ(states.memory_mhz_low, 2600);
  EXPECT_EQ(states.celsius_high, 52);
  EXPECT_EQ(states.watts_high, 690);
}

TEST(DeviceStates, DisturbWhereTheHardwareSlowedDown) {
  BlockConditions conditions;
  conditions.wall_seconds = 1;
  for (const std::uint64_t harmless : {std::uint64_t{0}, std::uint64_t{0x1 | 0x2 | 0x10 | 0x100}, kPowerCap}) {
    conditions.device.throttle = harmless;
    EXPECT_EQ(disturbance_in(conditions), "") << harmless;
  }
  conditions.device.throttle = kHardwareSlowdown | kPowerCap;
  EXPECT_EQ(disturbance_in(conditions), "the device was throttled: power cap, hardware slowdown");
  for (const std::uint64_t hard : {kHardwareSlowdown, kSoftwareThermal, kHardwareThermal, kPowerBrake}) {
    conditions.device.throttle = hard;
    EXPECT_EQ(disturbance_in(conditions), "the device was throttled: " + throttle_text(hard));
  }
}

TEST(DeviceStates, DisturbPairsAsWell) {
  BlockConditions conditions;
  conditions.wall_seconds = 1;
  conditions.device.throttle = kPowerCap;
  EXPECT_EQ(disturbance_of_pairs(conditions), "") << "a cap holds for both sides, and for tomorrow's run";
  conditions.device.throttle = kHardwareThermal;
  EXPECT_EQ(disturbance_of_pairs(conditions), "the device was throttled: thermal slowdown by the hardware");
}

TEST(DeviceStates, AreToldInOneLine) {
  DeviceStates states;
  EXPECT_EQ(states_text(states), "") << "a device without sensors";
  states.unknown = "NVML: libnvidia-ml.so.1 not found";
  EXPECT_EQ(states_text(states), "unknown: NVML: libnvidia-ml.so.1 not found");
  states.unknown.clear();
  note(states, {0, 1980, 3201, 40, 300});
  note(states, {kPowerCap, 1200, 3201, 47, 312});
  EXPECT_EQ(states_text(states), "2 readings: 1200 to 1980 MHz, memory 3201 MHz, up to 47 °C and 312 W, power cap");
}

}  // namespace
}  // namespace fuselab
