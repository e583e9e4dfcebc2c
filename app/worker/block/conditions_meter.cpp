// SPDX-License-Identifier: Apache-2.0
#include "app/worker/block/conditions_meter.h"

#include <algorithm>
#include <thread>

#include "core/platform/system/clock.h"

namespace fuselab::worker {
namespace {

// A reading takes as long as many launches; heat and clocks change within tens of milliseconds.
constexpr double kBetweenReadings = 20e6;  // ns

}  // namespace

ConditionsMeter::ConditionsMeter(DeviceRuntime& runtime, int reads) : monitor_(dynamic_cast<DeviceMonitor*>(&runtime)) {
  if (runtime.info().type == "cpu") canary_.emplace(reads);
  if (monitor_ != nullptr) states_.driver = monitor_->driver_version();
  before_ = platform::contention_counters();
  start_ = platform::monotonic_now();
}

void ConditionsMeter::look() {
  if (canary_) canary_->sing();
  if (monitor_ == nullptr || platform::monotonic_now().count - last_reading_.count < kBetweenReadings) return;
  read_sensors();
  last_reading_ = platform::monotonic_now();
}

// Sensors that fail once are left alone, but for what they said before.
void ConditionsMeter::read_sensors() {
  const Result<DeviceState> state = monitor_->state();
  if (state.ok()) return note(states_, state.value());
  states_.unknown = state.error().message;
  monitor_ = nullptr;
}

BlockConditions ConditionsMeter::take() {
  if (monitor_ != nullptr) read_sensors();
  BlockConditions conditions;
  conditions.device = std::move(states_);
  conditions.wall_seconds = (platform::monotonic_now().count - start_.count) * 1e-9;
  const platform::ContentionCounters after = platform::contention_counters();
  conditions.steal_seconds = after.steal_seconds - before_.steal_seconds;
  conditions.throttled_seconds = after.throttled_seconds - before_.throttled_seconds;
  conditions.involuntary_switches = static_cast<int>(after.involuntary_switches - before_.involuntary_switches);
  conditions.waited_seconds = std::max(0.0, after.waited_seconds - before_.waited_seconds);  // threads may have ended
  const platform::Activity now = platform::activity();
  conditions.load = now.load;
  conditions.runnable = now.runnable;
  conditions.clock_mhz = now.clock_mhz;
  if (canary_) conditions.canary = canary_->take_times();
  return conditions;
}

int most_threads(const std::vector<Plan>& plans, const DeviceInfo& device) {
  if (device.type != "cpu") return 1;
  std::int64_t most = 1;
  for (const Plan& plan : plans) {
    for (const PlanStep& step : plan.steps) most = std::max(most, step.kernel.config.integer("threads", 1));
  }
  const auto processors = static_cast<std::int64_t>(std::max(1U, std::thread::hardware_concurrency()));
  return static_cast<int>(std::min(most, processors));
}

}  // namespace fuselab::worker
