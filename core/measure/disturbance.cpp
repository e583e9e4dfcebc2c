// SPDX-License-Identifier: Apache-2.0
#include "core/measure/disturbance.h"

#include <algorithm>
#include <cstdio>
#include <string_view>

namespace fuselab {
namespace {

constexpr double kTolerableSteal = 0.01;       // of the timed wall clock
constexpr double kTickOfSteal = 0.015;         // one clock tick is the counter's resolution: it says nothing about a short block
constexpr double kTolerableThrottling = 1e-3;  // seconds: a quota is used up for milliseconds or not at all
constexpr double kTolerableSwitches = 20;      // per second, over all threads of the worker
constexpr double kFewSwitches = 5;
constexpr double kLostToPairs = 0.4;  // of each thread's time: four fifths of one clock with two
constexpr std::string_view kPrefix = "disturbed while timing: ";

std::string text_of(const char* format, double amount) {
  char text[96];
  std::snprintf(text, sizeof text, format, amount);
  return text;
}

// Tells how the hardware or its driver slowed the device. No share of a block is tolerable, since nobody knows which samples it
// hit.
std::string device_slowdown(const DeviceStates& device) {
  return (device.throttle & kInvalidating) == 0 ? "" : "the device was throttled: " + throttle_text(device.throttle);
}

}  // namespace

std::string disturbance_in(const BlockConditions& conditions) {
  const double seconds = std::max(conditions.wall_seconds, 1e-3);
  const bool stolen = conditions.steal_seconds > std::max(kTickOfSteal, kTolerableSteal * seconds);
  const bool throttled = conditions.throttled_seconds > kTolerableThrottling;
  const bool switched = conditions.involuntary_switches > std::max(kFewSwitches, kTolerableSwitches * seconds);
  const std::string slowed = device_slowdown(conditions.device);
  if (!stolen && !throttled && !switched) return slowed;
  std::string text =
      slowed + (slowed.empty() ? "" : "; ") + text_of("%.0f ms stolen by the hypervisor, ", conditions.steal_seconds * 1e3);
  if (throttled) text += text_of("%.0f ms throttled by the control group's quota, ", conditions.throttled_seconds * 1e3);
  return text + std::to_string(conditions.involuntary_switches) + " involuntary context switches" + text_of(" in %.2f s", seconds);
}

std::string disturbance_of_pairs(const BlockConditions& conditions) {
  // Clocks that fell in the middle of a block are no neighbour: they hit memory and arithmetic differently, and so both sides.
  if (std::string slowed = device_slowdown(conditions.device); !slowed.empty()) return slowed;
  // A throttled thread waits as well where the kernel counts it so, hence the larger of both and not their sum.
  const double lost = conditions.steal_seconds + std::max(conditions.throttled_seconds, conditions.waited_seconds);
  // One thread is judged as one of two: what a single neighbour takes of its clock, about half, is put up with there as well.
  const double of_thread = lost / std::max(2, conditions.threads);
  if (conditions.wall_seconds <= 0 || lost <= kTickOfSteal || of_thread <= kLostToPairs * conditions.wall_seconds) return {};
  char text[160];
  std::snprintf(text, sizeof text,
                "too much lost in %.0f ms on %d threads: %.0f ms stolen, %.0f ms throttled, %.0f ms waited for a CPU",
                conditions.wall_seconds * 1e3, std::max(1, conditions.threads), conditions.steal_seconds * 1e3,
                conditions.throttled_seconds * 1e3, conditions.waited_seconds * 1e3);
  return text;
}

bool says_disturbed(const PlanResult& result) {
  return result.reason.find(kPrefix) != std::string::npos;
}

void note_disturbance(PlanResult& result, const std::string& disturbance) {
  const bool says = result.outcome == Outcome::kTimed || result.outcome == Outcome::kDropped;
  if (!says || disturbance.empty()) return;
  const bool first = !says_disturbed(result);
  result.reason += (result.reason.empty() ? "" : "; ") + (first ? std::string(kPrefix) : std::string()) + disturbance;
}

}  // namespace fuselab
