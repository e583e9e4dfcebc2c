// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <stop_token>
#include <string>
#include <vector>

#include "app/engine/measure/paired_replay.h"
#include "core/measure/protocol.h"
#include "core/stats/past_sessions.h"

// A kernel timed by itself, to be held against other times of it: what a baseline file keeps, and what a historical comparison
// measures today in the very same way.
namespace fuselab::engine {

// What was measured of a kernel at one time on one machine.
struct TimingRun {
  std::string at;               // UTC, when it began: "2026-11-22T17:05:00Z"
  EnvironmentIdentity machine;  // of a file of an older Fuselab: nothing
  int protocol = 0;             // Protocol::kVersion then; 0: unknown
  SessionSamples processes;     // without disturbed ones

  bool is_whole() const { return processes.size() >= static_cast<std::size_t>(kSessionProcesses); }
};

struct SessionSpec {
  DeviceInfo device;
  Plan plan;
  Nanoseconds budget{2'000'000'000};  // of kernel time for all its processes
  int processes = kSessionProcesses;
  ComparedSide who = ComparedSide::kNeither;  // that errors name
};

struct MeasuredSession {
  std::vector<ReplayedProcess> processes;  // their candidate's side; disturbed ones are marked
  Status fit;                              // kUnavailable where it ended because more processes were disturbed than were not
};

// Runs the plan in so many fresh processes that nothing disturbed; each verifies it before it times it, the first with special
// inputs as well. Fails with the reason of a plan that fails.
Result<MeasuredSession> measure_session(WorkerPool& workers, const SessionSpec& spec, std::stop_token stop);

// Of those that count, the candidate's side.
SessionSamples samples_of(const std::vector<ReplayedProcess>& processes);

// Whether it says which machine it is of: what an older Fuselab saved does not.
bool is_known(const EnvironmentIdentity& machine);

// In what the two machines differ, so that figures of one are no figures of the other: "microcode 0x1, here 0x2; kernel …". Empty:
// in nothing. The version of Fuselab is no part of a machine. What nobody knows of either is no difference.
std::string machine_differences(const EnvironmentIdentity& then, const EnvironmentIdentity& here);

}  // namespace fuselab::engine
