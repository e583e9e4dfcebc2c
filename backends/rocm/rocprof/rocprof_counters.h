// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>

#include "backends/rocm/rocprof/rocprof_session.h"
#include "core/backend/counter_collector.h"

namespace fuselab::hip {

// Returns the collector of one AMD GPU's counters, by rocprofiler-sdk's dispatch counting: a pass is one run of the sequence,
// kernel after kernel. `pci`: the device's place, "0000:c3:00.0". `synchronize` waits for what was launched. Used by one thread. It
// never met a GPU. Fails with kUnavailable where nothing may be counted, with what would permit it, and with kUnsupported for an
// architecture that is not known.
Result<std::unique_ptr<CounterCollector>> open_rocprof_counters(std::shared_ptr<RocprofSession> session, const std::string& pci,
                                                                std::function<Status()> synchronize);

}  // namespace fuselab::hip
