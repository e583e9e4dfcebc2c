// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "app/wire/messages.h"
#include "app/worker/reference/reference_cache.h"
#include "core/backend/device_runtime.h"
#include "core/platform/processes/shared_page.h"

namespace fuselab::worker {

// Launches the request's plan on inputs of its own under the device's or the host's counters, and asks the driver of its kernels;
// or, for another part of the request, while the device is recorded over time.
// The shared page names the launch, as it does a measured block's, so that a plan that crashes or hangs is noticed as such. Fails
// when the plan cannot be prepared or a launch fails; what cannot be counted is a reason within the reply.
Result<wire::ProfileReply> profile_plan(DeviceRuntime& runtime, ReferenceCache& references, const wire::ProfileRequest& request,
                                        platform::SharedPage& page);

}  // namespace fuselab::worker
