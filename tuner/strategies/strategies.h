// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>

#include "tuner/strategies/search_strategy.h"

namespace fuselab::tuner {

// The built-in strategies, one file each. `start` must be valid in `space` (make_strategy checks it).

// Tries `start`, then every valid configuration in lexicographic order.
std::unique_ptr<SearchStrategy> make_exhaustive(const ParameterSpace& space, const LaunchConfig& start, std::uint64_t seed);
// Tries valid configurations uniformly at random, each once.
std::unique_ptr<SearchStrategy> make_random(const ParameterSpace& space, const LaunchConfig& start, std::uint64_t seed);
// Starts from the best of `start` and a few random points, then improves one axis after the other; long axes coarse to fine. Starts
// again elsewhere when no axis improves.
std::unique_ptr<SearchStrategy> make_coordinate_descent(const ParameterSpace& space, const LaunchConfig& start, std::uint64_t seed);
// Evolves a population that keeps its best; children come from uniform crossover of tournament winners and small mutations.
std::unique_ptr<SearchStrategy> make_evolutionary(const ParameterSpace& space, const LaunchConfig& start, std::uint64_t seed);

}  // namespace fuselab::tuner
