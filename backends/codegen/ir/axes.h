// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

#include "core/kernel/compiled_kernel.h"
#include "core/kernel/launch_config.h"
#include "core/tuning/parameter_space.h"

namespace fuselab::codegen {

// These add and fill axes, and add rules, as several families do.
void add_axis(ParameterSpace& space, std::string name, std::string meaning, const std::vector<std::int64_t>& values);
void add_rule(ParameterSpace& space, std::string expression, std::string reason);
// Returns the first of these configurations that the space accepts; else any of the space, which has one.
LaunchConfig nearest(const ParameterSpace& space, const std::vector<LaunchConfig>& wished);
// Returns powers of two up to the target's cores, and the cores; at most `useful` threads.
std::vector<std::int64_t> thread_counts(const Target& target, std::int64_t useful);
// Returns register widths in elements, the widest last.
std::vector<std::int64_t> vector_widths(const Target& target, DType compute);
// Returns the values of an axis of integers; `otherwise` alone where the space has no such axis.
std::vector<std::int64_t> values_of(const ParameterSpace& space, std::string_view name, std::int64_t otherwise = 1);
std::int64_t limit_of(const Target& target, const std::string& name, std::int64_t otherwise);

}  // namespace fuselab::codegen
