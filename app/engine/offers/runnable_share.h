// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "app/engine/subject/piece.h"
#include "app/engine/workers/worker_pool.h"

namespace fuselab::engine {

// Gives devices to be asked, some at a time; nothing: there are no more.
using NextDevices = std::function<std::optional<std::vector<DeviceInfo>>()>;

// Fills in which operators of a model can be run on these devices: those in pieces that one of them writes as one kernel, and those
// that one of them writes by themselves, since a job cuts other pieces again. A survey counts what ran in the same way. Asks for
// further devices only as long as something is refused. Does nothing where extents are open.
void fill_runnable_share(FusedModel& model, WorkerPool& workers, const NextDevices& next);

}  // namespace fuselab::engine
