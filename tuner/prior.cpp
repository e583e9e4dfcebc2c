// SPDX-License-Identifier: Apache-2.0
#include "tuner/prior.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
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
                        : std::abs(static_cast<double>(a) - static_cast<double>(b));
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

// Every kernel has warps and stages: they alone do not tell that a configuration is of such a kernel.
bool tells_kernels_apart(const std::string& plain) {
  return plain != "warps" && plain != "stages" && plain != "ctas";
}

struct Placed {
  LaunchConfig config;
  int named = 0;  // parameters that tell kernels apart
};

// Returns what one configuration comes to.
Placed in_space(const ParameterSpace& space, const LaunchConfig& start, const LaunchConfig& found) {
  Placed placed{start};
  for (const Parameter& axis : space.parameters()) {
    const std::string plain = plain_name(axis.name);
    const ParameterValue* const wanted = value_of(found, plain);
    const auto value = wanted ? nearest(axis, *wanted) : std::nullopt;
    if (!value) continue;
    placed.config.set(axis.name, *value);
    placed.named += tells_kernels_apart(plain) ? 1 : 0;
  }
  return placed;
}

}  // namespace

std::vector<LaunchConfig> prior_in(const ParameterSpace& space, const LaunchConfig& start, std::span<const LaunchConfig> found,
                                   std::size_t most) {
  std::vector<Placed> placed;
  for (const LaunchConfig& each : found) {
    Placed one = in_space(space, start, each);
    if (one.named > 0) placed.push_back(std::move(one));
  }
  std::ranges::stable_sort(placed, std::ranges::greater(), &Placed::named);
  std::vector<LaunchConfig> prior;
  for (const Placed& each : placed) {
    if (prior.size() == most) break;
    const bool is_new = each.config != start && std::ranges::find(prior, each.config) == prior.end();
    if (is_new && space.check(each.config).ok()) prior.push_back(each.config);
  }
  return prior;
}

}  // namespace fuselab::tuner
