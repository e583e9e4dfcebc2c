// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

namespace fuselab {

// Reasons why a GPU runs slower than it could, as bits numbered as in NVML (nvml.h, nvmlClocksEventReasonSwPowerCap,
// nvmlClocksThrottleReasonHwSlowdown, nvmlClocksEventReasonSwThermalSlowdown, nvmlClocksThrottleReasonHwThermalSlowdown,
// …HwPowerBrakeSlowdown). Other bits report settings (0x1 idle, 0x2 application clocks, 0x10 sync boost, 0x100 display clocks).
inline constexpr std::uint64_t kPowerCap = 0x4;
inline constexpr std::uint64_t kHardwareSlowdown = 0x8;
inline constexpr std::uint64_t kSoftwareThermal = 0x20;
inline constexpr std::uint64_t kHardwareThermal = 0x40;
inline constexpr std::uint64_t kPowerBrake = 0x80;
// Times taken under one of these reasons are discarded. Times taken under a power cap are kept and marked: they are valid for that
// cap.
inline constexpr std::uint64_t kInvalidating = kHardwareSlowdown | kSoftwareThermal | kHardwareThermal | kPowerBrake;

// The readings of a device's sensors at one moment. Unknown values are 0.
struct DeviceState {
  std::uint64_t throttle = 0;  // reasons
  double core_mhz = 0;
  double memory_mhz = 0;
  double celsius = 0;
  double watts = 0;
};

// The readings of a device's sensors while a block was timed.
struct DeviceStates {
  int readings = 0;
  std::string unknown;         // why there are no readings although the device has sensors; else empty
  std::string driver;          // version of the driver: "550.54.15"
  std::uint64_t throttle = 0;  // union of the reasons of all readings
  double core_mhz_low = 0, core_mhz_high = 0;
  double memory_mhz_low = 0;
  double celsius_high = 0;
  double watts_high = 0;
};
void note(DeviceStates& states, const DeviceState& state);

// Returns the readings as text: "3 readings: 1200 to 1980 MHz, memory 3201 MHz, up to 47 °C and 312 W, power cap"; "unknown: …";
// empty where the device has no sensors.
std::string states_text(const DeviceStates& states);

// Returns the names of the reasons above: "hardware slowdown, power brake". Other bits are ignored.
std::string throttle_text(std::uint64_t reasons);

}  // namespace fuselab
