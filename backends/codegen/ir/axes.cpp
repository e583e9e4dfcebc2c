// SPDX-License-Identifier: Apache-2.0
#include "backends/codegen/ir/axes.h"

#include <algorithm>

namespace fuselab::codegen {

void add_axis(ParameterSpace& space, std::string name, std::string meaning, const std::vector<std::int64_t>& values) {
  Parameter parameter{std::move(name), std::move(meaning), {}};
  for (std::int64_t value : values) parameter.values.emplace_back(value);
  const Status added = space.add(std::move(parameter));
  FL_ASSERT(added.ok());
}

void add_rule(ParameterSpace& space, std::string expression, std::string reason) {
  const Status added = space.add(Constraint{std::move(expression), std::move(reason)});
  FL_ASSERT(added.ok());
}

LaunchConfig nearest(const ParameterSpace& space, const std::vector<LaunchConfig>& wished) {
  for (const LaunchConfig& config : wished) {
    if (space.check(config).ok()) return config;
  }
  const std::vector<LaunchConfig> any = space.enumerate(1);
  FL_ASSERT(!any.empty());
  return any.front();
}

std::vector<std::int64_t> values_of(const ParameterSpace& space, std::string_view name, std::int64_t otherwise) {
  for (const Parameter& axis : space.parameters()) {
    if (axis.name != name) continue;
    std::vector<std::int64_t> values;
    for (const auto& value : axis.values) values.push_back(std::get<std::int64_t>(value));
    return values;
  }
  return {otherwise};
}

std::int64_t limit_of(const Target& target, const std::string& name, std::int64_t otherwise) {
  const auto found = target.limits.find(name);
  return found == target.limits.end() ? otherwise : found->second;
}

std::vector<std::int64_t> thread_counts(const Target& target, std::int64_t useful) {
  const std::int64_t most = std::max<std::int64_t>(1, std::min(limit_of(target, "cores", 1), useful));
  std::vector<std::int64_t> counts;
  for (std::int64_t n = 1; n < most; n *= 2) counts.push_back(n);
  counts.push_back(most);
  return counts;
}

std::vector<std::int64_t> vector_widths(const Target& target, DType compute) {
  const std::int64_t widest = limit_of(target, "vector_bytes", 16) * 8 / bits_of(compute);
  return widest >= 8 ? std::vector<std::int64_t>{widest / 2, widest} : std::vector<std::int64_t>{widest};
}

}  // namespace fuselab::codegen
