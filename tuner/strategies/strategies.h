// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>

#include "tuner/strategies/search_strategy.h"

namespace fuselab::tuner {

// The built-in strategies, one file each. `start` is valid in `space` (make_strategy has checked).

// Every valid configuration in lexicographic order, after `start`.
std::unique_ptr<SearchStrategy> make_exhaustive(const ParameterSpace& space, const LaunchConfig& start, std::uint64_t seed);
// Valid configurations uniformly at random, each once.
std::unique_ptr<SearchStrategy> make_random(const ParameterSpace& space, const LaunchConfig& start, std::uint64_t seed);
// Best of a few random points and `start`, then one axis after the other; long axes coarse to fine. Starts again elsewhere
// when no axis improves.
std::unique_ptr<SearchStrategy> make_coordinate_descent(const ParameterSpace& space, const LaunchConfig& start, std::uint64_t seed);
// A population that keeps its best; children by uniform crossover of tournament winners and small mutations.
std::unique_ptr<SearchStrategy> make_evolutionary(const ParameterSpace& space, const LaunchConfig& start, std::uint64_t seed);

}  // namespace fuselab::tuner
