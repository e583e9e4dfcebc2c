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

// Two plans of one graph to be compared on one device.
struct ReplaySpec {
  DeviceInfo device;
  Plan baseline, candidate;
  Protocol protocol;  // mode, inputs, shortest sample; how many samples, and in which order, follows from rule and seed
  ComparisonRule rule;
  std::uint64_t seed = 1;
  bool special_inputs = true;   // verify with special inputs in the first process
  bool fresh_processes = true;  // false: one process for all, where times come from a script that is the same in every one
};

// The samples of one fresh process, kept whole so that the verdict can be computed again.
struct ReplayedProcess {
  PairedSamples samples;  // in ns, whole numbers of the grid's unit
  SampleGrid grid;
  Nanoseconds spent;
  std::string disturbed;       // why the process does not count; empty: it counts
  BlockConditions conditions;  // of each canary its median alone
};

struct Replay {
  ComparisonResult result;
  std::vector<ReplayedProcess> processes;  // in order, disturbed ones included
  int disturbed() const;
  // Fails with kUnavailable where the replay ended because more processes were disturbed than were not: the machine is not fit to
  // compare on. There is then no result, only the processes that show why.
  Status fitness() const;
};

// Runs both plans in fresh processes, interleaved on the same buffers, until the rule has seen enough; the two take turns in being
// loaded first. The first process verifies both against the reference before it times them, with special inputs as well; each later
// one does so where their outputs are not the very bytes that matched. A disturbed process is discarded whole, both sides: because
// something took its processor away or because a canary says that it was slow (CanaryWatch), never because of what was measured.
// The caller checks fitness() before it uses the result. `begun`: processes of the same comparison that were measured before; they
// count, and more are added to them.
// Fails with the plan's error when a plan fails; `failed` says whose it was.
Result<Replay> replay_in_pairs(WorkerPool& workers, const ReplaySpec& spec, std::stop_token stop, ComparedSide* failed = nullptr,
                               Replay begun = {});

// Returns the comparison that has seen these processes, without the disturbed ones.
Result<Comparison> comparison_of(const std::vector<ReplayedProcess>& processes, const ComparisonRule& rule);

// Computes the verdict from the kept processes again: bit for bit the same under the same rule.
Result<ComparisonResult> verdict_of(const std::vector<ReplayedProcess>& processes, const ComparisonRule& rule);

}  // namespace fuselab::engine
