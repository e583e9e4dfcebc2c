// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"
#include "core/kernel/launch_config.h"
#include "core/tuning/parameter_space.h"

namespace fuselab::tuner {

// The result of one configuration as a strategy sees it: its cost in ns, or nothing when it has none (invalid, crashed, wrong).
struct Observation {
  LaunchConfig config;
  std::optional<double> cost;
};

// Ask/tell search over one parameter space. Never sees a device, never repeats a configuration, seeded: the same tells give
// the same asks. Single-threaded.
class SearchStrategy {
 public:
  virtual ~SearchStrategy() = default;
  virtual std::string_view id() const = 0;
  // Returns up to `count` configurations to try next; empty when the space is exhausted or the search has converged. The results of
  // all of them must be told before the next call.
  virtual std::vector<LaunchConfig> ask(std::size_t count) = 0;
  virtual void tell(std::span<const Observation> results) = 0;
  // Returns true when every valid configuration was asked. It tells what an empty ask() means.
  virtual bool exhausted() = 0;
};

struct StrategyInfo {
  std::string_view id;       // "exhaustive", "random", "coordinate-descent", "evolutionary"
  std::string_view summary;  // one line for --help
};
std::span<const StrategyInfo> strategies();
// Makes a strategy, which tries `start` first and then those of `prior`, the likeliest first.
// Fails for an unknown id, listing the known ones, and for a configuration of these that is not valid in the space.
Result<std::unique_ptr<SearchStrategy>> make_strategy(std::string_view id, const ParameterSpace& space, const LaunchConfig& start,
                                                      std::uint64_t seed, std::span<const LaunchConfig> prior = {});

}  // namespace fuselab::tuner
