// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/changes/change_points.h"

namespace fuselab {

// The values of a series as if its identical runs had been measured as well. Those are exact where measured ones scatter: left so,
// the place where measuring begins would look like a step, whatever was measured there. So each identical run is moved by a normal
// value with the deviation that the measured runs show between neighbours, which no step of the level widens, and no less than
// their usual standard error. Which value follows from `seed` and the run's place alone. Without two measured runs there is nothing
// to go by, and nothing is moved.
std::vector<double> as_if_measured(std::span<const Observation> series, std::uint64_t seed);

}  // namespace fuselab
