// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "app/wire/messages.h"
#include "core/backend/device_runtime.h"
#include "core/platform/shared_page.h"

namespace fuselab::worker {

// Runs the request's steps once on an opened device: reads its inputs from their files, writes its outputs to theirs. Whatever goes
// wrong is in the reply, with the step that it is of; nothing is written then. Tensors that no kernel may overwrite stay as they
// were: a kernel that writes into an input is refused (kUnsupported).
wire::ExecuteReply execute(DeviceRuntime& runtime, const wire::ExecuteRequest& request, platform::SharedPage& page);

}  // namespace fuselab::worker
