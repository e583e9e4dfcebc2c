// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>

#include "backends/cuda/cupti/cupti_library.h"
#include "core/backend/counter_collector.h"

namespace fuselab::cuda {

// Returns the collector of one CUDA device's counters, by CUPTI's range profiler: a pass is one range around one run of the
// sequence. `context` is the device's, which is current in the calling thread; `synchronize` waits for what was launched in it.
// Used by that thread alone. It never met a GPU. Fails with kUnavailable where there is no CUPTI, or where nothing may be counted,
// with what would permit it.
Result<std::unique_ptr<CounterCollector>> open_cupti_counters(const loading::Surroundings& surroundings, void* context, int ordinal,
                                                              std::function<Status()> synchronize);

}  // namespace fuselab::cuda
