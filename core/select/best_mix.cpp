// SPDX-License-Identifier: Apache-2.0
#include "core/select/best_mix.h"

#include <algorithm>

namespace fuselab {
namespace {

struct Placement {
  std::size_t device = 0;
  double work_ns = 0;
  double switching_ns = 0;
  double total() const { return work_ns + switching_ns; }
};

std::optional<Placement> place(const MixPiece& piece, std::size_t home, std::size_t device_count, const SwitchingCost& switching) {
  std::optional<Placement> best;
  for (std::size_t device = 0; device < device_count; ++device) {
    if (!piece.ns_per_device[device]) continue;
    Placement here{device, piece.count * *piece.ns_per_device[device], 0};
    if (device != home) {
      // Both ways move the whole boundary at most once between them, so one call prices the round trip.
      const std::optional<double> round_trip = switching(home, device, piece.boundary);
      if (!round_trip) continue;
      here.switching_ns = piece.count * *round_trip;
    }
    if (!best || here.total() < best->total()) best = here;
  }
  return best;
}

std::size_t placed(const DeviceMix& mix) {
  return static_cast<std::size_t>(std::count_if(mix.device.begin(), mix.device.end(), [](const auto& d) { return d.has_value(); }));
}

bool is_better(const DeviceMix& a, const DeviceMix& b) {
  if (placed(a) != placed(b)) return placed(a) > placed(b);
  return a.work_ns + a.switching_ns < b.work_ns + b.switching_ns;
}

}  // namespace

std::optional<DeviceMix> best_mix(std::span<const MixPiece> pieces, std::size_t device_count, const SwitchingCost& switching) {
  std::optional<DeviceMix> best;
  for (std::size_t home = 0; home < device_count; ++home) {
    DeviceMix mix;
    mix.home = home;
    for (const MixPiece& piece : pieces) {
      const std::optional<Placement> placement = place(piece, home, device_count, switching);
      mix.device.push_back(placement ? std::optional(placement->device) : std::nullopt);
      if (!placement) continue;
      mix.work_ns += placement->work_ns;
      mix.switching_ns += placement->switching_ns;
    }
    if (placed(mix) > 0 && (!best || is_better(mix, *best))) best = std::move(mix);
  }
  return best;
}

}  // namespace fuselab
