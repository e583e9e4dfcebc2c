// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "backends/native/threads/thread_pool.h"
#include "core/measure/ceilings/ceiling.h"

namespace fuselab::cpu {

// Measures launches per second of a kernel that does nothing, each waited for before the next, as kernels are timed: one row per
// number of threads ("launch").
std::vector<Ceiling> measure_launch_ceilings(ThreadPool& pool, double seconds);

}  // namespace fuselab::cpu
