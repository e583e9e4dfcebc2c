// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <stop_token>

#include "app/engine/measure/paired_replay.h"

namespace fuselab::engine {

// Why a comparison really failed: a device that is lost fails whatever runs on it, and that is no fault of a kernel. `error` again
// where it is none of running (a wrong result, no memory, a stop), on a processor, and where the device still runs something.
// kUnavailable, with both reasons, where the device is not found any more, cannot be opened, or runs neither of the two plans alone
// in a process of its own. Without a baseline that may run, as beside stored times, the last is not asked. Takes seconds, of a
// comparison that failed.
Error blamed(WorkerPool& workers, const ReplaySpec& spec, const Error& error, const std::stop_token& stop);

}  // namespace fuselab::engine
