// SPDX-License-Identifier: Apache-2.0
#include "backends/sensors/amd_throttling.h"

#include "core/measure/device_states.h"

namespace fuselab::sensors {
namespace {

// Bits first to last.
constexpr std::uint64_t bits(int first, int last) {
  return ((std::uint64_t{1} << (last - first + 1)) - 1) << first;
}

struct Range {
  std::uint64_t bits;
  std::uint64_t reason;
};
// A counter that is not told at the moment is no larger number.
bool rose(std::uint64_t before, std::uint64_t now) {
  return before != abi::kAmdSmiNone64 && now != abi::kAmdSmiNone64 && now > before;
}

constexpr Range kRanges[] = {{bits(0, 31), kPowerCap}, {bits(32, 45), kHardwareThermal}, {bits(46, 47), kHardwareSlowdown}};

}  // namespace

std::uint64_t reasons_of_status(std::uint64_t status) {
  std::uint64_t reasons = 0;
  for (const Range& range : kRanges) {
    if ((status & range.bits) != 0) reasons |= range.reason;
  }
  return reasons;
}

std::optional<SlowedCycles> slowed_cycles(const abi::AmdGpuMetrics& metrics) {
  const SlowedCycles counts{metrics.processor_hot_cycles, metrics.package_power_cycles, metrics.socket_heat_cycles,
                            metrics.regulator_heat_cycles, metrics.memory_heat_cycles};
  // A counter that is all ones is not reported.
  const bool counted = counts.processor_hot != abi::kAmdSmiNone64 || counts.package_power != abi::kAmdSmiNone64 ||
                       counts.socket_heat != abi::kAmdSmiNone64 || counts.regulator_heat != abi::kAmdSmiNone64 ||
                       counts.memory_heat != abi::kAmdSmiNone64;
  return counted ? std::optional(counts) : std::nullopt;
}

std::uint64_t reasons_between(const SlowedCycles& before, const SlowedCycles& now) {
  std::uint64_t reasons = 0;
  if (rose(before.package_power, now.package_power)) reasons |= kPowerCap;
  if (rose(before.processor_hot, now.processor_hot)) reasons |= kHardwareSlowdown;
  if (rose(before.socket_heat, now.socket_heat) || rose(before.regulator_heat, now.regulator_heat) ||
      rose(before.memory_heat, now.memory_heat))
    reasons |= kHardwareThermal;
  return reasons;
}

}  // namespace fuselab::sensors
