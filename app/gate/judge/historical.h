// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <stop_token>
#include <string>
#include <vector>

#include "app/engine/measure/paired_replay.h"
#include "app/engine/measure/timing_run.h"
#include "app/gate/baseline/baseline_file.h"

// Compares a kernel with the times that a baseline file keeps; the baseline itself is not run.
namespace fuselab::engine {

// The timing runs of a baseline's kernel that today's may be compared with. A run that began within an hour of the one before is
// merged with it, however long that chain is, because runs so close differ by less than runs at different times do (four runs
// within seconds missed a machine that was 1.6 times slower seconds later).
struct StoredTimes {
  std::vector<RunSamples> sessions;  // merged timing runs: at least one, all of one machine
  std::string note;                  // "3 sessions of 2026-11-20 to 2026-11-22, not run again"
  bool other_machine = false;        // measured on another machine than this one; the note names it
};

// Returns the times measured on this machine or, where there are none and `cross_machine` is set, on the machine that was timed
// last. Fails with kNotFound and one line on what is missing or how the machines differ.
Result<StoredTimes> stored_times(const BaselineKernel& saved, const EnvironmentIdentity& here, bool cross_machine);

// Times the candidate of `spec` alone in fresh processes and compares it with those timing runs by the rule's margin and alpha. Has
// no result where the machine is not fit to compare on, like replay_in_pairs().
Result<Replay> measure_beside_past(WorkerPool& workers, const ReplaySpec& spec, std::span<const RunSamples> past,
                                   std::stop_token stop);

// Computes the verdict from the kept processes again, bit for bit the same; with an empty `past`, as for a paired replay.
Result<ComparisonResult> verdict_of(const std::vector<ReplayedProcess>& processes, std::span<const RunSamples> past,
                                    const ComparisonRule& rule);

}  // namespace fuselab::engine
