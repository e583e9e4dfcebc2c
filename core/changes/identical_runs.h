// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/changes/change_points.h"

namespace fuselab {

// Returns the values of a series as if its identical runs had been measured as well. Identical runs are exact where measured ones
// scatter: left so, the place where measuring begins would look like a step, whatever was measured there. So each identical run is
// moved by a normal value with the deviation that the measured runs show between neighbours, which no step of the level widens, and
// at least their usual standard error. The value depends on `seed` and the run's place alone. With fewer than two measured runs
// nothing is moved, since their scatter is not known.
std::vector<double> as_if_measured(std::span<const Observation> series, std::uint64_t seed);

}  // namespace fuselab
