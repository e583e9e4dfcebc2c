// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "core/measure/ceilings/paired_ceiling.h"
#include "core/measure/device_states.h"
#include "core/measure/timer_cost.h"

namespace fuselab {

// The times of a fixed piece of work beside the plans of a block, in ns and in run order: once before the first round, once after
// each. The work is the same in every process, so its times tell how fast the processor was while the plans were timed, and nothing
// about the plans.
struct CanaryTimes {
  std::vector<double> compute;  // arithmetic in registers; empty: none on this device
  std::vector<double> memory;   // a stream that no cache holds; empty: the block's plans do not depend on memory
};

// The state of the machine while a block was timed. Unknown values are 0.
struct BlockConditions {
  CanaryTimes canary;
  double wall_seconds = 0;       // from the first warm-up to the last sample
  int threads = 0;               // threads that the plans compute with on the host's processors, at most as many as it has
  double steal_seconds = 0;      // over all processors: a hypervisor gave them to others
  double throttled_seconds = 0;  // the control groups' quota was used up
  int involuntary_switches = 0;  // over all threads of the process
  double waited_seconds = 0;     // over all threads of the process: runnable, but not running
  double load = 0;               // average of the minute before the end
  int runnable = 0;              // threads at the end, the measuring one included
  double clock_mhz = 0;          // clock of the first processor at the end
  DeviceStates device;           // readings of the device's own sensors, if it has any
  TimerCost timer;               // cost of the timer that every sample was read from
  PairedCeiling ceiling;         // timed in turns with the plans; without looks where nobody asked for it
};

}  // namespace fuselab
