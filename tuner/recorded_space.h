// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "core/kernel/launch_config.h"
#include "core/measure/outcome.h"
#include "core/tuning/parameter_space.h"

namespace fuselab::tuner {

// One recorded measurement of a configuration.
struct RecordedTrial {
  LaunchConfig config;
  Outcome outcome = Outcome::kTimed;
  std::string reason;               // empty when timed
  std::vector<double> runtimes_ns;  // empty unless timed
  double compile_ns = 0;
};

// A parameter space with its recorded measurements: a search can be replayed against it without the device.
struct RecordedSpace {
  std::string name;    // "cn_pnpoly"
  std::string device;  // "NVIDIA GeForce RTX 3090"; empty when the file does not say
  ParameterSpace space;
  LaunchConfig start;  // the author's default, or else the first valid or recorded configuration
  std::vector<RecordedTrial> trials;
};

}  // namespace fuselab::tuner
