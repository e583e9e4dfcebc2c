// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/kernel/compiled_kernel.h"
#include "core/profile/metric.h"

namespace fuselab::profile {

// Returns what the compiler reported of a kernel, and the blocks of it that fit on a multiprocessor of the target, with what limits
// them. Empty metrics where its compiler reports nothing; no occupancy where it reports no registers.
KernelReport report_of(const CompiledKernel& kernel, int step, const Target& target, bool has_warp_groups = false);

}  // namespace fuselab::profile
