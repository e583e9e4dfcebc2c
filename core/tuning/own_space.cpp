// SPDX-License-Identifier: Apache-2.0
#include "core/tuning/own_space.h"

#include <charconv>

#include "core/base/ascii.h"
#include "core/kernel/abi.h"

namespace fuselab {
namespace {

// A value as a space holds it: a number where the text is one.
ParameterValue value_of(const std::string& text) {
  std::int64_t number = 0;
  const auto read = std::from_chars(text.data(), text.data() + text.size(), number);
  if (read.ec == std::errc() && read.ptr == text.data() + text.size()) return number;
  return text;
}

// Sizes are numbers to a constraint, which names parameters alone.
std::string with_sizes(const std::string& expression, const std::map<std::string, std::int64_t>& sizes) {
  std::string text;
  for (std::size_t at = 0; at < expression.size();) {
    std::size_t end = at;
    while (end < expression.size() && (is_letter(expression[end]) || is_digit(expression[end]))) ++end;
    const std::string word = expression.substr(at, end - at);
    const auto size = sizes.find(word);
    text += size == sizes.end() ? word : std::to_string(size->second);
    if (end == at) text += expression[end++];
    at = end;
  }
  return text;
}

}  // namespace

Result<ParameterSpace> own_space_of(const OwnKernel& kernel) {
  ParameterSpace space;
  for (const OwnParameter& each : kernel.parameters) {
    std::vector<ParameterValue> values;
    for (const std::string& value : each.values) values.push_back(value_of(value));
    FL_TRY_VOID(space.add({each.name, "of the kernel", std::move(values)}));
  }
  for (const OwnConstraint& each : kernel.constraints)
    FL_TRY_VOID(space.add(Constraint{with_sizes(each.expression, kernel.sizes), each.reason}));
  return space;
}

LaunchConfig own_defaults_of(const OwnKernel& kernel) {
  LaunchConfig config;
  for (const OwnParameter& each : kernel.parameters) config.set(each.name, value_of(each.otherwise));
  return config;
}

std::optional<std::int64_t> count_valid(const ParameterSpace& space) {
  constexpr std::int64_t kMostTried = 10'000'000;
  if (space.cartesian_size() > kMostTried) return std::nullopt;
  return static_cast<std::int64_t>(space.enumerate(kMostCounted).size());
}

Result<std::int64_t> own_formula(const OwnKernel& kernel, const std::string& text, const LaunchConfig& config) {
  std::map<std::string, std::int64_t> dims = kernel.sizes;
  for (const auto& [name, value] : config.values()) {
    if (const auto* number = std::get_if<std::int64_t>(&value)) dims[name] = *number;
  }
  auto value = DimFormula{text}.evaluate(dims);
  if (!value.ok()) return value.error().within("'" + text + "'");
  return value;
}

}  // namespace fuselab
