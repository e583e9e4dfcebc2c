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

// Watches a block being timed on a device, from its making on. One thread.
class ConditionsMeter {
 public:
  // With a canary where the device is the host's processor: what is timed elsewhere says nothing of this one, and scripted times
  // nothing of any. `reads`: see Canary.
  ConditionsMeter(DeviceRuntime& runtime, int reads);
  // Before the first round and after each.
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

// That plans compute with on a device, as their launch configurations say, up to the host's processors. 1 where the device is not
// the host's processor: one thread waits for it.
int most_threads(const std::vector<Plan>& plans, const DeviceInfo& device);

}  // namespace fuselab::worker
