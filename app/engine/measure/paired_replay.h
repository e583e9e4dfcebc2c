// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <stop_token>
#include <string>
#include <vector>

#include "app/engine/measure/sample_grid.h"
#include "app/engine/workers/worker_pool.h"
#include "core/backend/device_info.h"
#include "core/base/result.h"
#include "core/measure/conditions.h"
#include "core/measure/plan.h"
#include "core/stats/comparison.h"
#include "core/store/compared_side.h"

namespace fuselab::engine {

// Two plans of one graph to be held against each other on one device.
struct ReplaySpec {
  DeviceInfo device;
  Plan baseline, candidate;
  Protocol protocol;  // mode, inputs, shortest sample; how many samples, and in which order, follows from rule and seed
  ComparisonRule rule;
  std::uint64_t seed = 1;
  bool special_inputs = true;   // verified with them in the first process
  bool fresh_processes = true;  // false: one process does, as where times come from a script that is the same in every one
};

// What one fresh process measured: kept whole, so that the verdict can be had again.
struct ReplayedProcess {
  PairedSamples samples;  // in ns, whole numbers of the grid's unit
  SampleGrid grid;
  Nanoseconds spent;
  std::string disturbed;       // by what, so that none of it counts; empty: it counts
  BlockConditions conditions;  // of each canary its median alone
};

struct Replay {
  ComparisonResult result;
  std::vector<ReplayedProcess> processes;  // in order, disturbed ones included
  int disturbed() const;
  // kUnavailable where it ended because more processes were disturbed than were not: the machine is not fit. Then there is no
  // result, only what shows it.
  Status fitness() const;
};

// Runs both plans in fresh processes, interleaved on the same buffers, until the rule has seen enough; which of the two is loaded
// first alternates. The first process verifies both against the reference before it times them, with special inputs as well; each
// other one does where their outputs are not the very bytes that matched. A disturbed process is discarded whole, both sides: for
// what took its processor away, or for a canary that says that it was slow (CanaryWatch), never for what was measured. Fails with
// the reason when a plan fails; `failed` is told whose it was. Whoever asks looks at its fitness() before its result.
Result<Replay> replay_in_pairs(WorkerPool& workers, const ReplaySpec& spec, std::stop_token stop, ComparedSide* failed = nullptr);

// The verdict of what was kept: the one that was given, bit for bit, under the same rule.
Result<ComparisonResult> verdict_of(const std::vector<ReplayedProcess>& processes, const ComparisonRule& rule);

}  // namespace fuselab::engine
