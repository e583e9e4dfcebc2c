// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <stop_token>
#include <string>
#include <vector>

#include "app/engine/measure/paired_replay.h"
#include "app/engine/measure/timing_run.h"
#include "app/gate/baseline/baseline_file.h"

// Comparing with the times that a baseline's file keeps: the baseline itself is not run.
namespace fuselab::engine {

// The sessions of a baseline's kernel that today's may be held against. What was timed within an hour of the take before counts
// as one session with it, however long that goes on: takes so close differ by less than sessions do (four of a few seconds missed a
// machine that was 1.6 times slower seconds later).
struct StoredTimes {
  std::vector<SessionSamples> sessions;  // at least one, all of one machine
  std::string note;                      // "3 sessions of 2026-11-20 to 2026-11-22, not run again"
  bool other_machine = false;            // than this one, which the note names
};

// Those of this machine; where there is none, with `cross_machine` those of the machine that was timed last. kNotFound, in one
// line, what is missing or in what the machines differ.
Result<StoredTimes> stored_times(const BaselineKernel& saved, const EnvironmentIdentity& here, bool cross_machine);

// The candidate of `spec` alone in fresh processes, held against those sessions by the rule's margin and alpha; without a result
// where the machine is not fit, as replay_in_pairs().
Result<Replay> measure_beside_past(WorkerPool& workers, const ReplaySpec& spec, std::span<const SessionSamples> past,
                                   std::stop_token stop);

// The verdict of what was kept, bit for bit; without sessions that of a paired replay.
Result<ComparisonResult> verdict_of(const std::vector<ReplayedProcess>& processes, std::span<const SessionSamples> past,
                                    const ComparisonRule& rule);

}  // namespace fuselab::engine
