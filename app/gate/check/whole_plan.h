// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "app/gate/baseline/gate_kernels.h"
#include "core/measure/plan.h"

namespace fuselab::engine {

struct WholePlan {
  Plan plan;
  std::string configuration;  // as CaseOutcome::configuration: "tuned: threads=2"; of several kernels each by name
};

// Returns a plan of all fused pieces of a subject, back to back on the device, each in the configuration that `of` names, else in
// the one that Fuselab uses for it today. Fails with kUnsupported where one of the pieces cannot run.
Result<WholePlan> whole_plan(GateKernels& kernels, const CheckCase& of, const DeviceInfo& device, const GateSubject& subject);

// Returns whether both plans run the same kernels, by identity, on the same values.
bool same_kernels(const Plan& left, const Plan& right);

}  // namespace fuselab::engine
