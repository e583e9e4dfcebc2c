// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>

#include "tuner/strategies/search_strategy.h"
#include "tuner/strategies/visited_space.h"

namespace fuselab::tuner {

// What a search tries first, in this order, each once: the start, then the prior. Never empty.
using Starts = std::vector<Positions>;

// The built-in strategies, one file each. `starts` must be valid in `space` (make_strategy checks it).

// Tries `starts`, then every valid configuration in lexicographic order.
std::unique_ptr<SearchStrategy> make_exhaustive(const ParameterSpace& space, const Starts& starts, std::uint64_t seed);
// Tries valid configurations uniformly at random, each once.
std::unique_ptr<SearchStrategy> make_random(const ParameterSpace& space, const Starts& starts, std::uint64_t seed);
// Starts from the best of `starts`, filled up with random points, then improves one axis after the other; long axes coarse to fine.
// Starts again elsewhere when no axis improves.
std::unique_ptr<SearchStrategy> make_coordinate_descent(const ParameterSpace& space, const Starts& starts, std::uint64_t seed);
// Evolves a population that keeps its best; children come from uniform crossover of tournament winners and small mutations.
std::unique_ptr<SearchStrategy> make_evolutionary(const ParameterSpace& space, const Starts& starts, std::uint64_t seed);

}  // namespace fuselab::tuner
