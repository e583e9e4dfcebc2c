// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "app/gate/baseline/gate_bench.h"
#include "core/measure/plan.h"

namespace fuselab::engine {

struct WholePlan {
  Plan plan;
  std::string configuration;  // of its kernels, see CaseOutcome::configuration: "tuned: threads=2"; of several by name
};

// All fused pieces of a subject back to back on the device, each in the configuration that `of` names, else in the one that Fuselab
// uses for it today. kUnsupported where a piece of it cannot be run.
Result<WholePlan> whole_plan(GateBench& bench, const CheckCase& of, const DeviceInfo& device, const GateSubject& subject);

// Whether the same kernels, by identity, do the same with the same values.
bool same_kernels(const Plan& left, const Plan& right);

}  // namespace fuselab::engine
