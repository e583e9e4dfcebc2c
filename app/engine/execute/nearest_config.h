// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <set>
#include <string>
#include <vector>

#include "core/graph/graph.h"
#include "core/kernel/launch_config.h"
#include "core/store/result_store.h"
#include "core/tuning/parameter_space.h"

namespace fuselab::engine {

// A configuration that was found for the same operators at other extents.
struct NearestConfig {
  LaunchConfig config;
  std::string note;  // "in the configuration of f32[128,768], f32[768,768], the nearest size that was tuned"
};

// Looks for configurations of graphs that differ in extents alone. Reads the list of stored pieces once. Used by one thread.
class NearestConfigs {
 public:
  explicit NearestConfigs(ResultQueries& queries) : queries_(queries) {}

  // Returns the fastest configuration of the nearest tuned size, on warm caches, if this space has it. A size is tuned where a
  // device of this name timed at least three of its configurations. Figures merged from other machines count as well. Returns
  // nothing where there is no such size. Sizes are near by the ratios of their extents. Fails where the database cannot be read.
  Result<std::optional<NearestConfig>> find(const Graph& graph, const std::string& device_id, const ParameterSpace& space);

 private:
  struct Known {
    std::string key, skeleton;
    std::vector<double> extents;
    std::string types;
  };
  static Known known(const std::string& key, const std::string& canonical_text);

  ResultQueries& queries_;
  std::optional<std::vector<Known>> pieces_;  // read when it is first asked for
  std::set<std::string> warm_;                // keys of the metrics that count
};

}  // namespace fuselab::engine
