// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "core/measure/timing.h"

namespace fuselab::host {

// Returns `times` timings of two readings of the host's clock, one right after the other.
std::vector<Timing> time_nothing(int times);

}  // namespace fuselab::host
