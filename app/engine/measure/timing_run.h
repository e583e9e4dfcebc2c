// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <stop_token>
#include <string>
#include <vector>

#include "app/engine/measure/paired_replay.h"
#include "core/measure/protocol.h"
#include "core/stats/past_runs.h"

// A kernel timed by itself, to be compared with other timing runs of it. A baseline file keeps such runs, and a historical
// comparison measures today's kernel in the same way.
namespace fuselab::engine {

// A timing run: the samples of a kernel, measured at one time on one machine in a set of fresh timing processes.
struct TimingRun {
  std::string at;               // UTC, when the run began: "2026-11-22T17:05:00Z"
  EnvironmentIdentity machine;  // empty when read from a file of an older Fuselab
  int protocol = 0;             // Protocol::kVersion then; 0: unknown
  RunSamples processes;         // without disturbed ones

  bool is_whole() const { return processes.size() >= static_cast<std::size_t>(kTimingRunProcesses); }
};

struct TimingRunSpec {
  DeviceInfo device;
  Plan plan;
  Nanoseconds budget{2'000'000'000};  // of kernel time for all its processes
  int processes = kTimingRunProcesses;
  ComparedSide who = ComparedSide::kNeither;  // the side that errors name
};

struct MeasuredTimingRun {
  std::vector<ReplayedProcess> processes;  // the samples are in the candidate's side; disturbed processes are marked
  Status fit;                              // kUnavailable where it ended because more processes were disturbed than were not
};

// Runs the plan until so many fresh processes were undisturbed. Each verifies the plan before timing it, the first with special
// inputs as well.
// Fails with the plan's error when the plan fails.
Result<MeasuredTimingRun> measure_timing_run(WorkerPool& workers, const TimingRunSpec& spec, std::stop_token stop);

// Returns the candidate's side of the processes that count.
RunSamples samples_of(const std::vector<ReplayedProcess>& processes);

// Returns whether the identity says which machine it is of; one saved by an older Fuselab does not.
bool is_known(const EnvironmentIdentity& machine);

// Returns how the two machines differ, so that figures of one are no figures of the other: "microcode 0x1, here 0x2; kernel …".
// Empty when they do not differ. The version of Fuselab is not compared, nor is a field that is unknown on either side.
std::string machine_differences(const EnvironmentIdentity& then, const EnvironmentIdentity& here);

}  // namespace fuselab::engine
