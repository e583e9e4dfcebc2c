// SPDX-License-Identifier: Apache-2.0
#include "tuner/strategies/search_strategy.h"

#include <algorithm>

#include "tuner/strategies/strategies.h"

namespace fuselab::tuner {
namespace {

using Make = std::unique_ptr<SearchStrategy> (*)(const ParameterSpace&, const Starts&, std::uint64_t);

constexpr StrategyInfo kStrategies[] = {
    {"exhaustive", "every valid configuration, in order"},
    {"random", "valid configurations at random, none twice"},
    {"coordinate-descent", "one parameter after the other from the best of a few random points, with restarts"},
    {"evolutionary", "crossover and mutation of the best so far"},
};
constexpr Make kMakers[] = {make_exhaustive, make_random, make_coordinate_descent, make_evolutionary};
static_assert(std::size(kStrategies) == std::size(kMakers));

}  // namespace

std::span<const StrategyInfo> strategies() {
  return kStrategies;
}

Result<std::unique_ptr<SearchStrategy>> make_strategy(std::string_view id, const ParameterSpace& space, const LaunchConfig& start,
                                                      std::uint64_t seed, std::span<const LaunchConfig> prior) {
  std::string known;
  for (std::size_t i = 0; i < std::size(kStrategies); ++i) {
    if (kStrategies[i].id == id) {
      if (auto valid = space.check(start); !valid.ok()) return std::move(valid).error().within("start configuration");
      Starts starts = {space.positions_of(start).value()};
      for (const LaunchConfig& config : prior) {
        if (auto valid = space.check(config); !valid.ok()) return std::move(valid).error().within("configuration of the prior");
        const Positions positions = space.positions_of(config).value();
        if (std::find(starts.begin(), starts.end(), positions) == starts.end()) starts.push_back(positions);
      }
      return kMakers[i](space, starts, seed);
    }
    known += (known.empty() ? "" : ", ") + std::string(kStrategies[i].id);
  }
  return invalid_argument("unknown search strategy '" + std::string(id) + "'; one of " + known);
}

}  // namespace fuselab::tuner
