// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "backends/codegen/forms/contraction.h"
#include "core/kernel/launch_config.h"
#include "core/tuning/parameter_space.h"

namespace fuselab::codegen {

// How a kernel that computes an operand is cut into tasks where nobody tuned it: of the space's rows_per_task and column_parts
// those with which the busiest of `threads` has the least to do. More rows bring the right operand together less often, fewer parts
// compute the left one less often, and either may leave threads idle. The other axes of `config` are set already.
void settle_tasks(const ContractionKernel& kernel, const ParameterSpace& space, LaunchConfig& config);

}  // namespace fuselab::codegen
