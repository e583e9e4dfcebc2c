// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "core/kernel/launch_config.h"
#include "core/tuning/parameter_space.h"

// Configurations that were fast elsewhere, as places where a search begins. They are tried and measured like any other.
namespace fuselab::tuner {

inline constexpr std::size_t kMostOfPrior = 8;  // a search is to go on from them, not to end in them

// Returns what `found`, the fastest first, comes to in `space`: at most `most` valid configurations, each once, without `start`.
// A parameter is known by its name, whatever its case and whether it is written as in Triton's examples: BLOCK_SIZE_M and BLOCK_M
// are tile_m, num_warps is warps. A number takes the nearest value by ratio; what a configuration does not name is as in `start`.
// Those that name most parameters come first. One that names none, or warps, stages and clusters alone, is another kernel's and is
// left out; so is one that comes to an invalid configuration.
std::vector<LaunchConfig> prior_in(const ParameterSpace& space, const LaunchConfig& start, std::span<const LaunchConfig> found,
                                   std::size_t most);

}  // namespace fuselab::tuner
