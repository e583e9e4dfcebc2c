// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "app/session/subject.h"
#include "app/session/worker_house.h"
#include "core/measure/plan.h"

namespace fuselab::session {

// A subject as one kernel in its default configuration on a device.
struct ReplayKernel {
  std::string name;     // "w3-residual-rmsnorm"
  std::string binding;  // "cols=1024,rows=512"
  Plan plan;
};

// Generates and compiles it; the reason where the device's backend cannot.
Result<ReplayKernel> replay_kernel(WorkerHouse& workers, const DeviceInfo& device, const Subject& subject);

}  // namespace fuselab::session
