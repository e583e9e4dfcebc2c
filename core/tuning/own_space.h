// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "core/base/result.h"
#include "core/kernel/launch_config.h"
#include "core/ops/own_kernel.h"
#include "core/tuning/parameter_space.h"

namespace fuselab {

// What may be tuned of a kernel that the user wrote, whatever it will run on.
// Fails with kInvalidArgument for a parameter or a constraint that a space does not take.
Result<ParameterSpace> own_space_of(const OwnKernel& kernel);
LaunchConfig own_defaults_of(const OwnKernel& kernel);

// Returns how many configurations of a space meet its constraints, at most kMostCounted; nothing where there are too many to try.
inline constexpr std::int64_t kMostCounted = 100'000;
std::optional<std::int64_t> count_valid(const ParameterSpace& space);

// Evaluates a formula (DimFormula) over the kernel's sizes and the integers of a configuration.
// Fails with the formula and what is wrong with it.
Result<std::int64_t> own_formula(const OwnKernel& kernel, const std::string& text, const LaunchConfig& config);

}  // namespace fuselab
