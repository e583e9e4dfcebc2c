// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "backends/native/threads/thread_pool.h"
#include "core/base/result.h"
#include "core/base/units.h"
#include "core/measure/ceilings/ceiling.h"

namespace fuselab::cpu {

// Measures the bandwidth of a mix of streams: one row per store kind and number of threads, each of the fastest form; see
// CeilingProbe. More than four streams of a kind are measured as four: the rows say what was measured.
Result<std::vector<Ceiling>> measure_stream_ceilings(ThreadPool& pool, int reads, int writes, Bytes footprint, double seconds);

}  // namespace fuselab::cpu
