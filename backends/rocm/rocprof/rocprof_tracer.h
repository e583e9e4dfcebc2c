// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>

#include "backends/rocm/rocprof/rocprof_session.h"
#include "core/backend/device_tracer.h"

namespace fuselab::hip {

// Returns what records an AMD GPU over time, by rocprofiler-sdk: kernels and copies, joined to their launches. `synchronize` waits
// for what was launched. Used by one thread. It never met a GPU.
std::unique_ptr<DeviceTracer> make_rocprof_tracer(std::shared_ptr<RocprofSession> session, std::function<Status()> synchronize);

}  // namespace fuselab::hip
