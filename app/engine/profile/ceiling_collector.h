// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <stop_token>
#include <vector>

#include "app/engine/measure/roofline.h"
#include "app/engine/workers/worker_pool.h"
#include "core/measure/ceilings/ceiling.h"
#include "profiler/verdict/cache_levels.h"

namespace fuselab::engine {

inline constexpr int kCeilingCollectorVersion = 1;

// Returns the ceilings that the stored table lacks for a mix of streams at these levels, and the arithmetic rate with the time of
// an empty launch where it lacks those. Fails where the device cannot measure its own limits.
Result<std::vector<Ceiling>> collect_ceilings(const DeviceInfo& device, const StreamMix& mix,
                                              const std::vector<profile::CacheLevel>& levels, const CeilingTable& stored,
                                              WorkerPool& workers, const std::stop_token& stop);

}  // namespace fuselab::engine
