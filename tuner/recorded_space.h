// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "core/kernel/launch_config.h"
#include "core/measure/outcome.h"
#include "core/tuning/parameter_space.h"

namespace fuselab::tuner {

// One configuration as somebody measured it.
struct RecordedTrial {
  LaunchConfig config;
  Outcome outcome = Outcome::kTimed;
  std::string reason;               // empty when timed
  std::vector<double> runtimes_ns;  // empty unless timed
  double compile_ns = 0;
};

// A parameter space with what was measured of it: a search can be replayed against it without the device.
struct RecordedSpace {
  std::string name;    // "cn_pnpoly"
  std::string device;  // "NVIDIA GeForce RTX 3090"; empty when the file does not say
  ParameterSpace space;
  LaunchConfig start;  // where the file's author began, or else the first valid or recorded configuration
  std::vector<RecordedTrial> trials;
};

}  // namespace fuselab::tuner
