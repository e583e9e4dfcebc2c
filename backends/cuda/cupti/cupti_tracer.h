// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>

#include "backends/loading/vendor_library.h"
#include "core/backend/device_tracer.h"

namespace fuselab::cuda {

// Returns what records one CUDA device over time, by CUPTI: activity records, counters and places of the program counter.
// `context` is the device's, which is current in the calling thread; `synchronize` waits for what was launched in it. Used by that
// thread alone. It never met a GPU. Fails with kUnavailable where there is no CUPTI.
Result<std::unique_ptr<DeviceTracer>> open_cupti_tracer(const loading::Surroundings& surroundings, void* context, int ordinal,
                                                        std::function<Status()> synchronize);

}  // namespace fuselab::cuda
