// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "core/measure/protocol.h"

namespace fuselab {

// The conditions of all blocks of a run together. Ranges are 0 where nothing was read.
struct RunConditions {
  std::int64_t blocks = 0;       // blocks whose conditions are stored
  double timed_seconds = 0;      // from the first warm-up to the last sample of each block, summed
  double steal_seconds = 0;      // a hypervisor gave the processors to others
  double throttled_seconds = 0;  // the control groups' quota was used up
  std::int64_t involuntary_switches = 0;
  double load_low = 0, load_high = 0;  // average of a minute
  double clock_mhz_low = 0, clock_mhz_high = 0;
  double celsius_high = 0, watts_high = 0;  // of a device with sensors
};

// The environment card of a run: where, with what and how quietly it was measured, as its stored rows say.
struct RunCard {
  std::vector<std::pair<std::string, EnvironmentIdentity>> environments;  // (device, environment), by device
  std::vector<MetricIdentity> metrics;                                    // of its trials
  std::vector<std::pair<std::string, std::string>> software;              // (compiler or library, version)
  std::vector<std::pair<std::string, std::int64_t>> outcomes;             // ("timed", trials)
  std::int64_t disturbed = 0;                                             // timed trials that other load disturbed
  RunConditions conditions;
};

}  // namespace fuselab
