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

// A kernel that stays the same from run to run and is timed in each that measures on a device. A case's time over its time is free
// of how fast the machine is that day, so a history goes on with it where the case's baseline was exchanged.
namespace fuselab::engine {

// What it computes: this text, pinned here, whatever becomes of the workloads. 64 rows of 1024: half a MiB goes through memory, and
// each element takes an exponential; some tens of µs on two cores.
inline constexpr std::string_view kReferenceGraph = "graph(x: f32[64,1024]) { y = Softmax(x); return y }";

struct ReferenceTime {
  std::string
      name;       // "softmax f32[64,1024], kernel 0123456789ab": another generator, compiler or configuration is another reference
  double ns = 0;  // per run: geometric mean of the medians of its processes
};

// Generates it in its default configuration, verifies and times it alone in three fresh processes, in well under a second. The
// reason where the device's backend cannot, or where the machine is not fit.
Result<ReferenceTime> time_reference(WorkerPool& workers, const DeviceInfo& device, const std::stop_token& stop);

// Beside each case that was measured, once for each device. Of scripted times none: they drift with nothing. `plans`: of the cases,
// one each. Gives the devices whose reference was not timed, with the reason, as CheckReport::environment has them; none after a
// stop.
std::vector<std::pair<std::string, std::string>> time_references(WorkerPool& workers, std::span<const ReplaySpec> plans,
                                                                 std::vector<CheckedCase>& cases, const std::stop_token& stop);

}  // namespace fuselab::engine
