// SPDX-License-Identifier: Apache-2.0
#include "profiler/verdict/cache_levels.h"

#include <algorithm>

#include "core/measure/ceilings/ceiling.h"

namespace fuselab::profile {
namespace {

constexpr Bytes kBeyondCaches{std::int64_t{256} << 20};
constexpr double kFilled = 0.75;  // of a cache: the rest is for what else there is

std::int64_t limit(const Target& target, const char* name, std::int64_t otherwise) {
  const auto found = target.limits.find(name);
  return found == target.limits.end() ? otherwise : found->second;
}

}  // namespace

std::vector<CacheLevel> cache_levels(const Target& target, int threads) {
  std::vector<CacheLevel> levels;
  const std::int64_t count = std::max(threads, 1);
  const auto add = [&](const char* name, std::int64_t capacity) {
    const Bytes probe = footprint_class({static_cast<std::int64_t>(kFilled * static_cast<double>(capacity))});
    const std::int64_t below = levels.empty() ? 0 : levels.back().capacity.count;
    if (capacity > 0 && probe.count > below) levels.push_back({name, {capacity}, probe});
  };
  add("L1", limit(target, "l1_bytes", 0) * count);
  add("L2", limit(target, "l2_bytes", 0) * count);
  add("L3", limit(target, "l3_bytes", 0) * limit(target, "last_caches", 1));
  levels.push_back({"memory", {0}, footprint_class(kBeyondCaches)});
  return levels;
}

const CacheLevel& level_of(const std::vector<CacheLevel>& levels, Bytes working_set) {
  const auto holds = std::find_if(levels.begin(), levels.end(), [&](const CacheLevel& level) {
    return level.capacity.count == 0 || working_set.count <= level.capacity.count;
  });
  FL_ASSERT(holds != levels.end());
  return *holds;
}

}  // namespace fuselab::profile
