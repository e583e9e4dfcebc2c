// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "backends/codegen/forms/contraction.h"
#include "core/kernel/launch_config.h"
#include "core/tuning/parameter_space.h"

namespace fuselab::codegen {

// Sets the default cut into tasks of a kernel that computes an operand: of the space's rows_per_task and column_parts those with
// which the busiest of `threads` has the least to do. More rows load the right operand less often, fewer parts compute the left one
// less often, and either may leave threads idle. The other axes of `config` are set already.
void settle_tasks(const ContractionKernel& kernel, const ParameterSpace& space, LaunchConfig& config);

}  // namespace fuselab::codegen
