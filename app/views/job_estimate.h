// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace fuselab::engine {

// What one part of a job is expected to take.
struct PhaseEstimate {
  std::string phase;       // as JobProgress::phase names it
  std::string name;        // for people: "first figures"
  std::int64_t steps = 0;  // ceilings of devices, pieces on devices, or searches
  double seconds = 0;
};

// What a job will do and how long that takes, before it starts. Seconds rest on what was measured on this machine, as far as
// anything was.
struct JobEstimate {
  std::vector<std::string> models;  // "resnet50 batch=1"
  std::vector<std::string> devices;
  int pieces = 0;                     // different ones
  int pairs = 0;                      // of a piece and a device
  int stored_pairs = 0;               // of them: their first figures are stored and valid
  double budget_seconds = 0;          // 0: the job has none
  double tuning_at_most = 0;          // seconds of all searches, were there no budget
  std::int64_t trials_behind = 0;     // stored trials whose times the seconds rest on; 0: usual values
  std::vector<PhaseEstimate> phases;  // in order; those that take no time are left out

  double seconds() const;  // of all phases
  // Returns the estimate of the whole job and its parts: "about 2 min 30 s: ceilings 5 s, first figures 20 s, tuning 2 min 5 s".
  std::string text() const;
};

// Returns "40 s", "2 min 5 s" or "1 h 20 min".
std::string about_text(double seconds);

}  // namespace fuselab::engine
