// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "app/engine/subject/subject.h"
#include "app/engine/workers/worker_pool.h"
#include "core/measure/plan.h"

namespace fuselab::engine {

// A subject as one kernel in its default configuration on a device.
struct ReplayKernel {
  std::string name;     // "w3-residual-rmsnorm"
  std::string binding;  // "cols=1024,rows=512"
  Plan plan;
};

// Generates and compiles it. Fails with the reason where the device's backend cannot.
Result<ReplayKernel> replay_kernel(WorkerPool& workers, const DeviceInfo& device, const Subject& subject);

}  // namespace fuselab::engine
