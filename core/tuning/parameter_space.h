// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/kernel/launch_config.h"

namespace fuselab {

// One axis: a name, what it means in half a sentence, and its values in order.
struct Parameter {
  std::string name;
  std::string meaning;
  std::vector<ParameterValue> values;
};

// A rule over integer parameters that every valid configuration satisfies: "tile_m * tile_n * 4 <= 32768".
// Grammar: integers, parameter names, + - * / %, comparisons, && ||, parentheses. Text, so that it travels and is stored.
struct Constraint {
  std::string expression;
  std::string reason;  // "the tile must fit L1"
};

// The launch configurations a generator accepts for one graph on one target. A value type.
class ParameterSpace {
 public:
  Status add(Parameter parameter);    // error: duplicate name, no values
  Status add(Constraint constraint);  // error: does not parse, names no parameter

  const std::vector<Parameter>& parameters() const { return parameters_; }
  const std::vector<Constraint>& constraints() const { return constraints_; }

  // Product of the axes' sizes, constraints not applied; saturates at 2^62.
  std::int64_t cartesian_size() const;
  // Whether each parameter has one of its values and every constraint holds; if not, the first reason.
  Result<void> check(const LaunchConfig& config) const;
  // All valid configurations in lexicographic order of axis positions, at most `limit`.
  std::vector<LaunchConfig> enumerate(std::int64_t limit) const;
  // The configuration at axis positions (one per parameter).
  LaunchConfig at(const std::vector<std::size_t>& positions) const;
  // Axis positions of a configuration, or nothing when a value is foreign.
  std::optional<std::vector<std::size_t>> positions_of(const LaunchConfig& config) const;

 private:
  std::vector<Parameter> parameters_;
  std::vector<Constraint> constraints_;
};

}  // namespace fuselab
