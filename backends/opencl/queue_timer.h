// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>

#include "backends/opencl/opencl_context.h"
#include "core/measure/timing.h"

namespace fuselab::opencl {

// Queues the command with this index among those that are timed; `event`, where it is not null, is the command's.
using QueueOne = std::function<Status(std::int64_t index, abi::Event* event)>;

// Times `count` commands of the context's queue after everything before them ended. kHostWall: from before the first is queued to
// after the last one ended. kDeviceEvents: from where the first began to where the last ended, by the device's own clock.
Result<Timing> time_queued(OpenClContext& context, TimingSource clock, std::int64_t count, const QueueOne& queue_one);

}  // namespace fuselab::opencl
