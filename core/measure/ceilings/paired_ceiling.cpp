// SPDX-License-Identifier: Apache-2.0
#include "core/measure/ceilings/paired_ceiling.h"

#include <algorithm>

namespace fuselab {
namespace {

// The rates around a round: the mean of the looks before and after it, or the only one there is.
CeilingLook around(const std::vector<CeilingLook>& looks, int round) {
  const auto after = std::find_if(looks.begin(), looks.end(), [&](const CeilingLook& look) { return look.rounds > round; });
  if (after == looks.begin()) return *after;
  const CeilingLook& before = *(after - 1);
  if (after == looks.end()) return before;
  return {round, (before.bytes_per_second + after->bytes_per_second) / 2, (before.flops_per_second + after->flops_per_second) / 2};
}

// The interval of a share. Rounds between the same two looks have their ceiling in common, so each such group counts once. Of few
// groups the range of all rounds is told.
Interval interval_of(const std::vector<CeilingLook>& looks, const std::vector<double>& shares) {
  constexpr std::size_t kFewGroups = 3;
  std::vector<std::vector<double>> groups(looks.size() + 1);
  for (std::size_t round = 0; round < shares.size(); ++round) {
    const auto before =
        std::count_if(looks.begin(), looks.end(), [&](const CeilingLook& look) { return look.rounds <= static_cast<int>(round); });
    groups[static_cast<std::size_t>(before)].push_back(shares[round]);
  }
  std::vector<double> medians;
  for (const std::vector<double>& group : groups) {
    if (!group.empty()) medians.push_back(summarize(group).median);
  }
  if (medians.size() >= kFewGroups) return summarize(medians).interval;
  const auto [low, high] = std::minmax_element(shares.begin(), shares.end());
  return {*low, *high};
}

}  // namespace

std::optional<PairedShare> paired_share(const Cost& cost, const std::vector<double>& samples, const PairedCeiling& ceiling) {
  if (ceiling.looks.empty() || samples.empty()) return std::nullopt;
  const auto bytes = static_cast<double>(cost.ideal().count);
  std::vector<double> memory, compute;
  for (std::size_t round = 0; round < samples.size(); ++round) {
    const CeilingLook rates = around(ceiling.looks, static_cast<int>(round));
    memory.push_back(rates.bytes_per_second > 0 ? bytes / rates.bytes_per_second * 1e9 / samples[round] : 0);
    compute.push_back(rates.flops_per_second > 0 ? cost.flops / rates.flops_per_second * 1e9 / samples[round] : 0);
  }
  const Summary by_memory = summarize(memory), by_compute = summarize(compute);
  PairedShare found;
  found.memory_bound = by_memory.median >= by_compute.median;
  const Summary& bound = found.memory_bound ? by_memory : by_compute;
  if (bound.median <= 0) return std::nullopt;
  found.share = {bound.median, interval_of(ceiling.looks, found.memory_bound ? memory : compute)};
  return found;
}

}  // namespace fuselab
