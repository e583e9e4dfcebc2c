// SPDX-License-Identifier: Apache-2.0
#include "app/engine/profile/ceiling_collector.h"

#include <algorithm>

namespace fuselab::engine {

Result<std::vector<Ceiling>> collect_ceilings(const DeviceInfo& device, const StreamMix& mix,
                                              const std::vector<profile::CacheLevel>& levels, const CeilingTable& stored,
                                              WorkerPool& workers, const std::stop_token& stop) {
  constexpr double kSeconds = 0.25;  // each
  std::vector<Ceiling> found;
  wire::CeilingRequest request{device.backend, device.id, mix.reads, mix.writes, {}, 0};
  for (const profile::CacheLevel& level : levels) {
    if (stored.bandwidth_of_class(mix.reads, mix.writes, level.probe) <= 0) request.footprints.push_back(level.probe);
  }
  if (!request.footprints.empty()) {
    request.seconds = kSeconds * static_cast<double>(request.footprints.size());
    FL_TRY(found, workers.ceilings(device, request, stop));
  }
  const bool launches =
      std::any_of(stored.rows.begin(), stored.rows.end(), [](const Ceiling& row) { return row.kind == "launch"; });
  if (stored.peak_flops() <= 0 || !launches) {
    FL_TRY(const auto rates, workers.ceilings(device, {device.backend, device.id, 0, 0, {}, 2 * kSeconds}, stop));
    found.insert(found.end(), rates.begin(), rates.end());
  }
  return found;
}

}  // namespace fuselab::engine
