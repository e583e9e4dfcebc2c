// SPDX-License-Identifier: Apache-2.0
#include "profiler/verdict/standing.h"

#include <algorithm>
#include <cmath>

#include "profiler/verdict/loop_passes.h"

namespace fuselab::profile {
namespace {

// Returns the time of an empty launch on so many threads, or on the nearest number that was measured; 0: not measured.
double launch_ns(const CeilingTable& ceilings, int threads) {
  const Ceiling* nearest = nullptr;
  for (const Ceiling& row : ceilings.rows) {
    if (row.kind != "launch" || row.per_second <= 0) continue;
    if (nearest == nullptr || std::abs(row.threads - threads) < std::abs(nearest->threads - threads)) nearest = &row;
  }
  return nearest == nullptr ? 0 : 1e9 / nearest->per_second;
}

// Returns the bandwidth of a level: its own or that of one beyond it, whichever is higher. Streams over a few KiB are so short that
// starting them is a part of their time, so that a near level can measure slower than it is.
double bandwidth_from(const StandingInput& input, const CacheLevel& level) {
  double best = 0;
  for (auto each = input.levels.rbegin(); each != input.levels.rend(); ++each) {
    best = std::max(best, input.ceilings.bandwidth_of_class(input.reads, input.writes, each->probe));
    if (each->name == level.name) break;
  }
  return best;
}

// Sets the bytes of a level whose traffic is known otherwise than by the graph.
void refine(const StandingInput& input, bool holds, RooflineLevel& row) {
  constexpr std::pair<std::string_view, std::string_view> kCounted[] = {
      {"memory", "memory_bytes"}, {"memory", "device_memory_bytes"}, {"L2", "device_l2_bytes"}, {"L1", "device_l1_bytes"}};
  for (const auto& [level, metric] : kCounted) {
    if (row.level != level || input.counters == nullptr || input.mode != CacheMode::kWarm) continue;
    if (const auto counted = input.counters->value(metric)) {
      row.bytes = *counted;
      row.source = "counted";
      return;
    }
  }
  if (row.level != "L1" || holds || input.code == nullptr) return;
  const LoopReport* const hottest = input.code->hottest();
  const auto passes = hottest == nullptr ? std::nullopt : passes_through(*hottest, input.graph, input.cost);
  if (!passes) return;
  row.bytes = passes->passes * (hottest->loaded_bytes + hottest->stored_bytes);
  row.source = "code";
}

}  // namespace

Standing standing_of(const StandingInput& input) {
  Standing standing;
  standing.flops = input.cost.flops;
  standing.compulsory_bytes = static_cast<double>(input.cost.ideal().count);
  standing.working_set_bytes = static_cast<double>(input.working_set.count);
  standing.steps = input.steps;
  standing.threads = input.threads;
  standing.device_threads = input.device_threads;
  const double measured = input.measured_ns;
  const auto share_of = [&](double ns) { return measured > 0 ? ns / measured : 0; };
  const double peak = input.ceilings.peak_flops(arithmetic_of(input.graph));
  standing.peak_flops = std::isfinite(peak) ? peak : 0;
  if (standing.peak_flops > 0) standing.compute_ns = standing.flops / standing.peak_flops * 1e9;
  standing.compute_share = share_of(standing.compute_ns);
  standing.launch_ns = launch_ns(input.ceilings, input.threads) * input.steps;
  standing.launch_share = share_of(standing.launch_ns);
  standing.caches = name_of(input.mode);
  const bool emptied = input.mode == CacheMode::kCold || input.mode == CacheMode::kRotating;
  const std::string holding = emptied ? input.levels.back().name : level_of(input.levels, input.working_set).name;
  for (const CacheLevel& level : input.levels) {
    RooflineLevel row;
    row.level = level.name;
    row.holds_working_set = level.name == holding;
    row.bytes_per_second = bandwidth_from(input, level);
    row.bytes = standing.compulsory_bytes;
    row.source = "compulsory";
    refine(input, row.holds_working_set, row);
    // Between the first cache and the level that holds the data, as much passes at least; a level beyond it sees nothing once warm.
    const bool beyond = std::ranges::any_of(standing.levels, &RooflineLevel::holds_working_set);
    if (beyond && row.source == "compulsory") {
      if (row.bytes_per_second <= 0) continue;
      row.bytes = 0;  // its roof is a limit of the device all the same
      row.source.clear();
    }
    if (row.bytes_per_second > 0) {
      row.ns = row.bytes / row.bytes_per_second * 1e9;
      row.share = share_of(row.ns);
    }
    standing.levels.push_back(std::move(row));
  }
  const bool any = std::any_of(standing.levels.begin(), standing.levels.end(),
                               [](const RooflineLevel& level) { return level.bytes_per_second > 0; });
  if (!any) standing.why_no_levels = "no bandwidth of this mix of streams is measured on the device";
  return standing;
}

}  // namespace fuselab::profile
