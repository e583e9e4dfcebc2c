// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "app/session/gate/gate_bench.h"
#include "core/measure/plan.h"

namespace fuselab::session {

// All fused pieces of a subject back to back on the device, each in the configuration that Fuselab uses for it today. kUnsupported
// where a piece of it cannot be run.
Result<Plan> whole_plan(GateBench& bench, const CheckCase& of, const DeviceInfo& device, const GateSubject& subject);

}  // namespace fuselab::session
