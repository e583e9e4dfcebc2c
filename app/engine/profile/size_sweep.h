// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <stop_token>
#include <vector>

#include "app/engine/profile/profiled_plan.h"
#include "core/profile/standing.h"
#include "profiler/verdict/cache_levels.h"

namespace fuselab::engine {

inline constexpr int kSweepCollectorVersion = 2;

// Measures the plan's kernel on other numbers of threads, interleaved in one block, and the same piece in the same configuration at
// smaller sizes, each in a block before it, since turns of larger ones would put its data out of the caches: where time goes shows
// in how it changes. Every block has a process of its own, in the trial's cache mode; nothing of it is a trial.
// Only for a plan of one kernel, of a subject with named extents; no other size where no cache holds any, and nothing of a plan
// whose launch takes so long that the block would take minutes.
Sweep sweep_sizes(Engine& engine, const ProfiledPlan& found, const ProfileSpec& spec,
                  const std::vector<profile::CacheLevel>& levels, WorkerPool& workers, const std::stop_token& stop);

// Returns the piece of a smaller cut that has this one's place among those of the same operators; null where the cuts differ.
const Piece* counterpart(const Piece& piece, const std::vector<Piece>& whole, const std::vector<Piece>& smaller);

}  // namespace fuselab::engine
