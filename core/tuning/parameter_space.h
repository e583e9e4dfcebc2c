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

// One axis: a name, what it means in half a sentence, and its values in order. A name is an identifier; the values of one
// axis are distinct, all integers or all words (so that LaunchConfig's text reads back as what was written).
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
  Status add(Parameter parameter);    // error: duplicate name or value, no values, not an identifier or word
  Status add(Constraint constraint);  // error: does not parse, names no parameter, or one whose values are words

  const std::vector<Parameter>& parameters() const { return parameters_; }
  const std::vector<Constraint>& constraints() const { return constraints_; }

  // Product of the axes' sizes, constraints not applied; saturates at 2^62.
  std::int64_t cartesian_size() const;
  // Whether each parameter has one of its values and every constraint holds; if not, the first reason.
  Result<void> check(const LaunchConfig& config) const;
  // All valid configurations in lexicographic order of axis positions, at most `limit`.
  std::vector<LaunchConfig> enumerate(std::int64_t limit) const;
  // Whether every constraint holds at axis positions (one per parameter): check() without the words, for searches.
  bool holds_at(const std::vector<std::size_t>& positions) const;
  // The next valid positions in lexicographic order, the first for nothing; nothing after the last. Constraints prune.
  std::optional<std::vector<std::size_t>> next_valid(const std::optional<std::vector<std::size_t>>& after) const;
  // The configuration at axis positions (one per parameter).
  LaunchConfig at(const std::vector<std::size_t>& positions) const;
  // Axis positions of a configuration, or nothing when a value is foreign.
  std::optional<std::vector<std::size_t>> positions_of(const LaunchConfig& config) const;

 private:
  std::vector<Parameter> parameters_;
  // A parsed constraint; `axes[i]` is the parameter that name i of the expression stands for.
  struct Rule {
    ConstraintExpression expression;
    std::vector<std::size_t> axes;
    std::size_t last_axis = 0;  // once this axis is set, all are, and the rule can prune
  };
  Result<std::int64_t> evaluate(const Rule& rule, const std::vector<std::size_t>& positions) const;
  bool holds(const Rule& rule, const std::vector<std::size_t>& positions) const;
  bool may_continue(std::size_t axis, const std::vector<std::size_t>& positions) const;
  std::string values_text(const Rule& rule, const std::vector<std::size_t>& positions) const;

  std::vector<Constraint> constraints_;
  std::vector<Rule> rules_;  // one per constraint
};

}  // namespace fuselab
