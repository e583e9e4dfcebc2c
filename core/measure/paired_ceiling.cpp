// SPDX-License-Identifier: Apache-2.0
#include "core/measure/paired_ceiling.h"

#include <algorithm>
#include <span>

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
  found.share = {bound.median, bound.interval};
  return found;
}

}  // namespace fuselab
