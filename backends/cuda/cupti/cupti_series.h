// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "backends/cuda/cupti/cupti_activity.h"

namespace fuselab::cuda {

// Runs the sequence once or, where that takes less than a few intervals, several times back to back, while CUPTI samples the
// counters that one pass has room for on this chip. `run_ns`: of a run of the sequence. Fails with kUnavailable where nothing may
// be counted, with what would permit it.
Result<DeviceSeries> sample_series(const CuptiDevice& device, std::span<const Launch> sequence, double run_ns);

}  // namespace fuselab::cuda
