// SPDX-License-Identifier: Apache-2.0
#include "tuner/prior.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace fuselab::tuner {
namespace {

void replace(std::string& text, std::string_view what, std::string_view by) {
  if (const std::size_t at = text.find(what); at != std::string::npos) text.replace(at, what.size(), by);
}

// "BLOCK_SIZE_M", "block_m" and "tile_m" are one name.
std::string plain_name(const std::string& name) {
  std::string plain;
  for (const char c : name) {
    if (c != '_') plain += c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  }
  replace(plain, "size", "");
  replace(plain, "num", "");
  replace(plain, "block", "tile");
  return plain == "groupm" ? "group" : plain;
}

const ParameterValue* value_of(const LaunchConfig& config, const std::string& plain) {
  const auto found = std::ranges::find_if(config.values(), [&](const auto& each) { return plain_name(each.first) == plain; });
  return found == config.values().end() ? nullptr : &found->second;
}

double distance(std::int64_t a, std::int64_t b) {
  return a > 0 && b > 0 ? std::abs(std::log2(static_cast<double>(a) / static_cast<double>(b)))
                        : std::abs(static_cast<double>(a - b));
}

// Returns the value of the axis that is nearest; nothing where a word is not among them.
std::optional<ParameterValue> nearest(const Parameter& axis, const ParameterValue& wanted) {
  const std::int64_t* const number = std::get_if<std::int64_t>(&wanted);
  if (!number || !std::holds_alternative<std::int64_t>(axis.values.front())) {
    const bool known = std::ranges::find(axis.values, wanted) != axis.values.end();
    return known ? std::optional(wanted) : std::nullopt;
  }
  return *std::ranges::min_element(axis.values, {},
                                   [&](const ParameterValue& each) { return distance(std::get<std::int64_t>(each), *number); });
}

// Returns what one configuration comes to; nothing where it names no parameter of the space.
std::optional<LaunchConfig> in_space(const ParameterSpace& space, const LaunchConfig& start, const LaunchConfig& found) {
  LaunchConfig config = start;
  bool names_one = false;
  for (const Parameter& axis : space.parameters()) {
    const ParameterValue* const wanted = value_of(found, plain_name(axis.name));
    const auto value = wanted ? nearest(axis, *wanted) : std::nullopt;
    if (!value) continue;
    config.set(axis.name, *value);
    names_one = true;
  }
  return names_one ? std::optional(config) : std::nullopt;
}

}  // namespace

std::vector<LaunchConfig> prior_in(const ParameterSpace& space, const LaunchConfig& start, std::span<const LaunchConfig> found,
                                   std::size_t most) {
  std::vector<LaunchConfig> prior;
  for (const LaunchConfig& each : found) {
    if (prior.size() == most) break;
    const auto config = in_space(space, start, each);
    const bool is_new = config && *config != start && std::ranges::find(prior, *config) == prior.end();
    if (is_new && space.check(*config).ok()) prior.push_back(*config);
  }
  return prior;
}

}  // namespace fuselab::tuner
