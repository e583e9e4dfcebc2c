// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

namespace fuselab {

// Why a GPU runs slower than it could: bits, as NVML numbers them (nvml.h, nvmlClocksEventReasonSwPowerCap, nvmlClocksThrottle-
// ReasonHwSlowdown, nvmlClocksEventReasonSwThermalSlowdown, nvmlClocksThrottleReasonHwThermalSlowdown, …HwPowerBrakeSlowdown). The
// others say what was asked of it (0x1 idle, 0x2 application clocks, 0x10 sync boost, 0x100 display clocks).
inline constexpr std::uint64_t kPowerCap = 0x4;
inline constexpr std::uint64_t kHardwareSlowdown = 0x8;
inline constexpr std::uint64_t kSoftwareThermal = 0x20;
inline constexpr std::uint64_t kHardwareThermal = 0x40;
inline constexpr std::uint64_t kPowerBrake = 0x80;
// What was timed under one of these is no evidence; under a power cap it is evidence of that cap, and is marked.
inline constexpr std::uint64_t kInvalidating = kHardwareSlowdown | kSoftwareThermal | kHardwareThermal | kPowerBrake;

// What a device's sensors say at one moment. Unknown is 0.
struct DeviceState {
  std::uint64_t throttle = 0;  // reasons
  double core_mhz = 0;
  double memory_mhz = 0;
  double celsius = 0;
  double watts = 0;
};

// What they said while a block was timed.
struct DeviceStates {
  int readings = 0;
  std::string unknown;  // why there are none where there could be some; empty: there are, or the device has no sensors of its own
  std::string driver;   // its version: "550.54.15"
  std::uint64_t throttle = 0;  // reasons that any reading gave
  double core_mhz_low = 0, core_mhz_high = 0;
  double memory_mhz_low = 0;
  double celsius_high = 0;
  double watts_high = 0;
};
void note(DeviceStates& states, const DeviceState& state);

// "3 readings: 1200 to 1980 MHz, memory 3201 MHz, up to 47 °C and 312 W, power cap"; "unknown: …"; empty where it has no sensors.
std::string states_text(const DeviceStates& states);

// "hardware slowdown, power brake"; of the bits named above alone.
std::string throttle_text(std::uint64_t reasons);

}  // namespace fuselab
