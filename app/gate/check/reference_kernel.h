// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <stop_token>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "app/engine/measure/paired_replay.h"
#include "app/engine/workers/worker_pool.h"
#include "app/gate/judge/judgement.h"

// A kernel that stays the same from run to run and is timed in each run that measures on a device. The ratio of a case's time to
// its time does not depend on how fast the machine is that day, so a history continues with it where the case's baseline was
// replaced.
namespace fuselab::engine {

// The graph of the reference kernel, fixed here and independent of the built-in workloads. 64 rows of 1024: half a MiB goes through
// memory, and each element takes an exponential; some tens of µs on two cores.
inline constexpr std::string_view kReferenceGraph = "graph(x: f32[64,1024]) { y = Softmax(x); return y }";

struct ReferencePlan {
  std::string name;  // as in ReferenceTime
  Plan plan;
};

// Generates and compiles the reference in its default configuration.
// Fails with the reason where the device's backend cannot run it.
Result<ReferencePlan> reference_plan(WorkerPool& workers, const DeviceInfo& device, const std::stop_token& stop);

struct ReferenceTime {
  std::string
      name;       // "softmax f32[64,1024], kernel 0123456789ab": another generator, compiler or configuration is another reference
  double ns = 0;  // per run: geometric mean of the medians of its processes
};

// Generates the reference in its default configuration, verifies it and times it alone in three fresh processes, in well under a
// second.
// Fails with the reason where the device's backend cannot run it or the machine is not fit.
Result<ReferenceTime> time_reference(WorkerPool& workers, const DeviceInfo& device, const std::stop_token& stop);

// Sets the reference time of each case that was measured, timing it once per device. Devices with scripted times have none, since
// their times do not drift. `plans`: one for each case. Returns the devices whose reference could not be timed, with the reason, as
// CheckReport::environment has them; those left out because of a stop request are not among them.
std::vector<std::pair<std::string, std::string>> time_references(WorkerPool& workers, std::span<const ReplaySpec> plans,
                                                                 std::vector<CheckedCase>& cases, const std::stop_token& stop);

}  // namespace fuselab::engine
