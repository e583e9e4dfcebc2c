// SPDX-License-Identifier: Apache-2.0
#include "core/measure/device_states.h"

#include <algorithm>
#include <cstdio>

namespace fuselab {
namespace {

struct Reason {
  std::uint64_t bit;
  const char* text;
};
constexpr Reason kReasons[] = {{kPowerCap, "power cap"},
                               {kHardwareSlowdown, "hardware slowdown"},
                               {kSoftwareThermal, "thermal slowdown by the driver"},
                               {kHardwareThermal, "thermal slowdown by the hardware"},
                               {kPowerBrake, "power brake"}};

}  // namespace

void note(DeviceStates& states, const DeviceState& state) {
  const bool first = states.readings++ == 0;
  states.throttle |= state.throttle;
  states.core_mhz_low = first ? state.core_mhz : std::min(states.core_mhz_low, state.core_mhz);
  states.core_mhz_high = std::max(states.core_mhz_high, state.core_mhz);
  states.memory_mhz_low = first ? state.memory_mhz : std::min(states.memory_mhz_low, state.memory_mhz);
  states.celsius_high = std::max(states.celsius_high, state.celsius);
  states.watts_high = std::max(states.watts_high, state.watts);
}

std::string states_text(const DeviceStates& states) {
  if (states.readings == 0) return states.unknown.empty() ? "" : "unknown: " + states.unknown;
  char text[160];
  std::snprintf(text, sizeof text, "%d reading%s: %.0f to %.0f MHz, memory %.0f MHz, up to %.0f °C and %.0f W", states.readings,
                states.readings == 1 ? "" : "s", states.core_mhz_low, states.core_mhz_high, states.memory_mhz_low,
                states.celsius_high, states.watts_high);
  const std::string throttled = throttle_text(states.throttle);
  return text + (throttled.empty() ? "" : ", " + throttled) + (states.unknown.empty() ? "" : "; then " + states.unknown);
}

std::string throttle_text(std::uint64_t reasons) {
  std::string text;
  for (const Reason& reason : kReasons) {
    if ((reasons & reason.bit) != 0) text += (text.empty() ? "" : ", ") + std::string(reason.text);
  }
  return text;
}

}  // namespace fuselab
