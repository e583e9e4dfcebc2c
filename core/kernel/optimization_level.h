// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include "core/base/result.h"

namespace fuselab {

// The degree of optimisation (R148-R152). O0: no fusion, plain code. O1: strict numerics, element-wise fusion only. O2: balanced,
// the default. O3: everything that stays inside the tolerance.
enum class OptimizationLevel { kO0, kO1, kO2, kO3 };

std::string_view name_of(OptimizationLevel level);  // "O2"
// Parses "O0" "none" "debug" · "O1" "conservative" · "O2" "balanced" · "O3" "aggressive", in any case; fails for anything else.
Result<OptimizationLevel> parse_optimization_level(std::string_view name);

}  // namespace fuselab
