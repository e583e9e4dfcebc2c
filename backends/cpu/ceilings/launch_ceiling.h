// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "backends/cpu/threads/thread_pool.h"
#include "core/measure/ceiling.h"

namespace fuselab::cpu {

// Launches per second of a kernel that does nothing, one after the other and each waited for, as kernels are timed: one row per
// number of threads ("launch").
std::vector<Ceiling> measure_launch_ceilings(ThreadPool& pool, double seconds);

}  // namespace fuselab::cpu
