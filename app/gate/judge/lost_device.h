// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <stop_token>

#include "app/engine/measure/paired_replay.h"

namespace fuselab::engine {

// Returns the real reason why a comparison failed. A lost device fails whatever runs on it, which is no fault of a kernel: the
// result is kUnavailable, with both reasons, when the device is not found any more, cannot be opened, or runs neither of the two
// plans alone in a process of its own. Otherwise `error` is returned: for an error other than a crash, a failed launch or a
// time-out, on a processor, and where the device still runs something. When there is no baseline to run, as in a historical
// comparison, the plans are not tried. Takes seconds.
// kCancelled after a stop request.
Error blamed(WorkerPool& workers, const ReplaySpec& spec, const Error& error, const std::stop_token& stop);

}  // namespace fuselab::engine
