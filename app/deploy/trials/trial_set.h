// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "app/engine/job/engine.h"
#include "core/kernel/launch_config.h"
#include "core/measure/outcome.h"

namespace fuselab::deploy {

// One configuration of a kernel with what it was measured to take.
struct TunedTrial {
  LaunchConfig config;
  Outcome outcome = Outcome::kTimed;
  std::string reason;               // empty when timed
  std::vector<double> runtimes_ns;  // of single launches; empty unless timed
  double median_ns = 0;
  double compile_ns = 0, verify_ns = 0;
  std::int64_t created_unix_ms = 0;
};

// Everything that was tried of one kernel on one device, in the words of formats that other tools read.
struct TrialSet {
  std::string kernel;  // name of the piece
  std::string device;  // "AMD EPYC 9R45"
  std::string device_id;
  std::string problem;  // "height=512,width=512"; may be empty
  std::vector<std::string> parameters;
  std::vector<TunedTrial> trials;  // fastest first, then what was not timed; each configuration once, as it was measured last
};

struct TrialSetSpec {
  std::string subject, binding, device, dtype = "f32", level = "O2";
};

// Reads from the database what was measured of a subject that is one kernel.
// Fails with kInvalidArgument for a subject of several kernels, and with kNotFound where nothing is stored.
Result<TrialSet> stored_trials(engine::Engine& engine, const TrialSetSpec& spec);

}  // namespace fuselab::deploy
