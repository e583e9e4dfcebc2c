// SPDX-License-Identifier: Apache-2.0
#include "core/tuning/parameter_space.h"

#include <algorithm>

#include "core/base/ascii.h"

namespace fuselab {
namespace {

constexpr std::int64_t kSaturated = std::int64_t{1} << 62;

bool is_identifier(std::string_view text) {
  return !text.empty() && is_letter(text[0]) &&
         std::all_of(text.begin(), text.end(), [](char c) { return is_letter(c) || is_digit(c); });
}
// Returns whether a text may be a choice: the text form "name=value,name=value;…" must not read it as something else.
bool is_word(std::string_view text) {
  return !text.empty() && is_letter(text[0]) && std::all_of(text.begin(), text.end(), [](char c) {
    return is_letter(c) || is_digit(c) || c == '-' || c == '.' || c == '+';
  });
}

std::string value_list(const Parameter& parameter) {
  constexpr std::size_t kShown = 16;
  std::string text;
  for (std::size_t i = 0; i < std::min(parameter.values.size(), kShown); ++i) {
    text += (i == 0 ? "" : ", ") + parameter_text(parameter.values[i]);
  }
  return parameter.values.size() > kShown ? text + ", …" : text;
}

}  // namespace

Status ParameterSpace::add(Parameter parameter) {
  const auto refuse = [&](const std::string& why) { return invalid_argument("parameter '" + parameter.name + "' " + why); };
  if (!is_identifier(parameter.name)) return refuse("is not an identifier (letters, digits and _)");
  for (const auto& other : parameters_) {
    if (other.name == parameter.name) return refuse("is there already");
  }
  if (parameter.values.empty()) return refuse("has no values");
  for (std::size_t i = 0; i < parameter.values.size(); ++i) {
    const auto& value = parameter.values[i];
    if (value.index() != parameter.values[0].index()) return refuse("mixes integers and words");
    if (const auto* word = std::get_if<std::string>(&value); word != nullptr && !is_word(*word)) {
      return refuse("has the value '" + *word + "', which is not a word (letters, digits, _ - . +)");
    }
    for (std::size_t j = 0; j < i; ++j) {
      if (parameter.values[j] == value) return refuse("lists " + parameter_text(value) + " twice");
    }
  }
  parameters_.push_back(std::move(parameter));
  return Status();
}

Status ParameterSpace::add(Constraint constraint) {
  auto parsed = ConstraintExpression::parse(constraint.expression);
  if (!parsed.ok()) return std::move(parsed).error().within("constraint");
  Rule rule{std::move(parsed).value(), {}, 0};
  if (rule.expression.names().empty()) return invalid_argument("constraint '" + constraint.expression + "' names no parameter");
  for (const auto& name : rule.expression.names()) {
    const auto found = std::find_if(parameters_.begin(), parameters_.end(), [&](const auto& p) { return p.name == name; });
    if (found == parameters_.end()) {
      return invalid_argument("constraint '" + constraint.expression + "' names '" + name +
                              "', which is no parameter of this space");
    }
    if (!std::holds_alternative<std::int64_t>(found->values[0])) {
      return invalid_argument("constraint '" + constraint.expression + "' names '" + name + "', whose values are words");
    }
    rule.axes.push_back(static_cast<std::size_t>(found - parameters_.begin()));
  }
  rule.last_axis = *std::max_element(rule.axes.begin(), rule.axes.end());
  rules_.push_back(std::move(rule));
  constraints_.push_back(std::move(constraint));
  return Status();
}

std::int64_t ParameterSpace::cartesian_size() const {
  std::int64_t size = 1;
  for (const auto& parameter : parameters_) {
    if (__builtin_mul_overflow(size, static_cast<std::int64_t>(parameter.values.size()), &size) || size > kSaturated)
      return kSaturated;
  }
  return size;
}

Result<std::int64_t> ParameterSpace::evaluate(const Rule& rule, const std::vector<std::size_t>& positions) const {
  constexpr std::size_t kInline = 8;  // constraints name few parameters: no allocation in the common case
  std::int64_t few[kInline];
  std::vector<std::int64_t> many;
  std::int64_t* values = few;
  if (rule.axes.size() > kInline) {
    many.resize(rule.axes.size());
    values = many.data();
  }
  for (std::size_t i = 0; i < rule.axes.size(); ++i) {
    values[i] = std::get<std::int64_t>(parameters_[rule.axes[i]].values[positions[rule.axes[i]]]);
  }
  return rule.expression.evaluate({values, rule.axes.size()});
}

bool ParameterSpace::holds(const Rule& rule, const std::vector<std::size_t>& positions) const {
  const auto value = evaluate(rule, positions);
  return value.ok() && value.value() != 0;
}

bool ParameterSpace::holds_at(const std::vector<std::size_t>& positions) const {
  FL_ASSERT(positions.size() == parameters_.size());
  return std::all_of(rules_.begin(), rules_.end(), [&](const Rule& rule) { return holds(rule, positions); });
}

std::string ParameterSpace::values_text(const Rule& rule, const std::vector<std::size_t>& positions) const {
  std::string text;
  for (const std::size_t axis : rule.axes) {
    const auto& parameter = parameters_[axis];
    text += (text.empty() ? "" : ", ") + parameter.name + "=" + parameter_text(parameter.values[positions[axis]]);
  }
  return text;
}

Result<void> ParameterSpace::check(const LaunchConfig& config) const {
  for (const auto& entry : config.values()) {
    const std::string& name = entry.first;
    const auto known = std::any_of(parameters_.begin(), parameters_.end(), [&](const auto& p) { return p.name == name; });
    if (!known) return invalid_argument("'" + name + "' is no parameter of this space");
  }
  std::vector<std::size_t> positions;
  for (const auto& parameter : parameters_) {
    const auto given = config.values().find(parameter.name);
    if (given == config.values().end())
      return invalid_argument("'" + parameter.name + "' has no value; one of " + value_list(parameter));
    const auto found = std::find(parameter.values.begin(), parameter.values.end(), given->second);
    if (found == parameter.values.end()) {
      return invalid_argument(parameter.name + "=" + parameter_text(given->second) + " is not one of " + value_list(parameter));
    }
    positions.push_back(static_cast<std::size_t>(found - parameter.values.begin()));
  }
  for (std::size_t i = 0; i < rules_.size(); ++i) {
    const auto value = evaluate(rules_[i], positions);
    if (value.ok() && value.value() != 0) continue;
    std::string message = values_text(rules_[i], positions) + " violates " + constraints_[i].expression;
    if (!value.ok()) message += " (" + value.error().message + ")";
    if (!constraints_[i].reason.empty()) message += ": " + constraints_[i].reason;
    return invalid_argument(std::move(message));
  }
  return Status();
}

// Returns whether the rules that axis `axis` completes hold.
bool ParameterSpace::may_continue(std::size_t axis, const std::vector<std::size_t>& positions) const {
  return std::all_of(rules_.begin(), rules_.end(),
                     [&](const Rule& rule) { return rule.last_axis != axis || holds(rule, positions); });
}

// Depth first over the axes; a rule cuts the subtree as soon as its last axis is set.
std::optional<std::vector<std::size_t>> ParameterSpace::next_valid(const std::optional<std::vector<std::size_t>>& after) const {
  const std::size_t axes = parameters_.size();
  std::vector<std::size_t> positions = after.value_or(std::vector<std::size_t>(axes, 0));
  FL_ASSERT(positions.size() == axes);
  std::size_t axis = 0;
  if (after) {  // step on from the leaf
    if (axes == 0) return std::nullopt;
    axis = axes - 1;
    ++positions[axis];
  }
  while (axis < axes) {
    if (positions[axis] == parameters_[axis].values.size()) {
      positions[axis] = 0;
      if (axis == 0) return std::nullopt;
      ++positions[--axis];
    } else if (may_continue(axis, positions)) {
      ++axis;
    } else {
      ++positions[axis];
    }
  }
  return positions;
}

std::vector<LaunchConfig> ParameterSpace::enumerate(std::int64_t limit) const {
  std::vector<LaunchConfig> found;
  for (auto next = next_valid(std::nullopt); next && static_cast<std::int64_t>(found.size()) < limit; next = next_valid(next)) {
    found.push_back(at(*next));
  }
  return found;
}

LaunchConfig ParameterSpace::at(const std::vector<std::size_t>& positions) const {
  FL_ASSERT(positions.size() == parameters_.size());
  LaunchConfig config;
  for (std::size_t i = 0; i < positions.size(); ++i) config.set(parameters_[i].name, parameters_[i].values.at(positions[i]));
  return config;
}

std::optional<std::vector<std::size_t>> ParameterSpace::positions_of(const LaunchConfig& config) const {
  if (config.values().size() != parameters_.size()) return std::nullopt;
  std::vector<std::size_t> positions;
  for (const auto& parameter : parameters_) {
    const auto given = config.values().find(parameter.name);
    if (given == config.values().end()) return std::nullopt;
    const auto found = std::find(parameter.values.begin(), parameter.values.end(), given->second);
    if (found == parameter.values.end()) return std::nullopt;
    positions.push_back(static_cast<std::size_t>(found - parameter.values.begin()));
  }
  return positions;
}

}  // namespace fuselab
