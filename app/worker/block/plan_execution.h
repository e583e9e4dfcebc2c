// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <set>
#include <string>

#include "app/wire/messages.h"
#include "core/backend/device_runtime.h"
#include "core/platform/processes/shared_page.h"

namespace fuselab::worker {

// Runs the request's steps once on an opened device: reads its inputs from their files and writes its outputs to theirs. An error
// is in the reply with the step it belongs to; nothing is written then. Tensors that no kernel may overwrite stay as they were: a
// kernel that writes into an input is refused (kUnsupported). `launched`: the ids of the kernels that this device ran in this
// process, updated here, since a driver may compile a kernel at its first launch.
wire::ExecuteReply execute(DeviceRuntime& runtime, const wire::ExecuteRequest& request, platform::SharedPage& page,
                           std::set<std::string>& launched);

}  // namespace fuselab::worker
