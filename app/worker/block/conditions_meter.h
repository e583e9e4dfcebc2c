// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <vector>

#include "app/worker/block/canary.h"
#include "core/backend/device_monitor.h"
#include "core/backend/device_runtime.h"
#include "core/base/units.h"
#include "core/measure/conditions.h"
#include "core/measure/plan.h"
#include "core/platform/machine/machine.h"

namespace fuselab::worker {

// Watches the conditions while a block is timed on a device, from its construction on. Used by one thread.
class ConditionsMeter {
 public:
  // Uses a canary only where the device is the host's processor, since one here tells nothing of another device, nor of scripted
  // times. `reads`: see Canary.
  ConditionsMeter(DeviceRuntime& runtime, int reads);
  // To be called before the first round and after each.
  void look();
  BlockConditions take();

 private:
  void read_sensors();

  std::optional<Canary> canary_;
  DeviceMonitor* monitor_;  // null: the device has none
  DeviceStates states_;
  Nanoseconds last_reading_;
  platform::ContentionCounters before_;
  Nanoseconds start_;
};

// Returns the most threads that one of the plans computes with on the device, by its launch configurations, up to the number of the
// host's processors. 1 where the device is not the host's processor: one thread waits for it.
int most_threads(const std::vector<Plan>& plans, const DeviceInfo& device);

}  // namespace fuselab::worker
