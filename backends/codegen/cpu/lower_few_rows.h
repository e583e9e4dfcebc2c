// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "backends/codegen/forms/contraction.h"
#include "backends/codegen/ir/ir.h"
#include "core/kernel/launch_config.h"

namespace fuselab::codegen {

// Writes a product of few rows. A task has a run of columns of the right operand and reads it from top to bottom, depth_step of its
// rows at once, so that several streams of long runs are in flight; sums of all columns stay in the first cache meanwhile.
// Reads vector, depth_step, column_parts.
Function lower_few_rows(const Graph& graph, const ContractionKernel& kernel, const LaunchConfig& config);

}  // namespace fuselab::codegen
