// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/kernel/launch_config.h"
#include "core/tuning/constraint_expression.h"

namespace fuselab {

// One axis: a name, its meaning in half a sentence, and its values in order. A name is an identifier; the values of one axis are
// distinct, all integers or all words (so that LaunchConfig's text reads back as it was written).
struct Parameter {
  std::string name;
  std::string meaning;
  std::vector<ParameterValue> values;
};

// A rule over integer parameters that every valid configuration satisfies: "tile_m * tile_n * 4 <= 32768".
// Grammar: integers, parameter names, + - * / %, comparisons, && ||, parentheses (constraint_expression.h). Text, so that it
// travels and is stored.
struct Constraint {
  std::string expression;
  std::string reason;  // "the tile must fit L1"
};

// The launch configurations a generator accepts for one graph on one target. A value type.
class ParameterSpace {
 public:
  // Fails for a duplicate name or value, no values, a name that is no identifier, or a value that is no word.
  Status add(Parameter parameter);
  Status add(Constraint constraint);  // fails when it does not parse or names no parameter, or one whose values are words

  const std::vector<Parameter>& parameters() const { return parameters_; }
  const std::vector<Constraint>& constraints() const { return constraints_; }

  // Returns the product of the axes' sizes, without applying constraints; saturates at 2^62.
  std::int64_t cartesian_size() const;
  // Checks that each parameter has one of its values and every constraint holds.
  // Fails with the first reason.
  Result<void> check(const LaunchConfig& config) const;
  // Returns at most `limit` valid configurations in lexicographic order of axis positions.
  std::vector<LaunchConfig> enumerate(std::int64_t limit) const;
  // Returns true when every constraint holds at axis positions (one per parameter). For searches: check() without the reasons.
  bool holds_at(const std::vector<std::size_t>& positions) const;
  // Returns the next valid positions in lexicographic order after `after`, or the first valid ones when it is empty; nothing after
  // the last. Constraints prune the search.
  std::optional<std::vector<std::size_t>> next_valid(const std::optional<std::vector<std::size_t>>& after) const;
  // Returns the configuration at axis positions (one per parameter).
  LaunchConfig at(const std::vector<std::size_t>& positions) const;
  // Returns the axis positions of a configuration, or nothing when a value is not in the space.
  std::optional<std::vector<std::size_t>> positions_of(const LaunchConfig& config) const;

 private:
  std::vector<Parameter> parameters_;
  // A parsed constraint; `axes[i]` is the parameter that name i of the expression stands for.
  struct Rule {
    ConstraintExpression expression;
    std::vector<std::size_t> axes;
    std::size_t last_axis = 0;  // once this axis is set, all axes of the rule are, and the rule can prune
  };
  Result<std::int64_t> evaluate(const Rule& rule, const std::vector<std::size_t>& positions) const;
  bool holds(const Rule& rule, const std::vector<std::size_t>& positions) const;
  bool may_continue(std::size_t axis, const std::vector<std::size_t>& positions) const;
  std::string values_text(const Rule& rule, const std::vector<std::size_t>& positions) const;

  std::vector<Constraint> constraints_;
  std::vector<Rule> rules_;  // one per constraint
};

}  // namespace fuselab
