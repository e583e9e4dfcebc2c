// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>

#include "app/views/snapshots.h"
#include "core/stats/statistics.h"

namespace fuselab::engine {

// The default device and plan for one piece, chosen from the measured cells of its row, with the numbers that decided. A device
// whose interval overlaps the fastest one's is reported as "within noise". Where no measured figure may be chosen, the device is
// empty and the reason says why.
struct Choice {
  std::string device_id;
  PlanKind plan = PlanKind::kFused;
  std::string reason;
};
Choice choose_device(const CompareRow& row);

// Returns the plan that a cell's device would run: the one that choose_device() names where it chooses this device. Returns nullopt
// without a figure that may be chosen.
std::optional<PlanKind> best_plan(const CompareCell& cell);

// How far the device that was chosen for a row is ahead of the next, each in the plan that it would run.
struct Margin {
  std::string next_device;
  // Time on the next device over time on the chosen one, below 1 where a preference decided between equals; the interval holds what
  // those of the two medians allow.
  Ratio ratio;
  bool within_noise = false;  // the intervals of the two medians overlap
};
// Returns nullopt where no device was chosen, or no other has a figure that may be chosen.
std::optional<Margin> margin_over_next(const CompareRow& row);

}  // namespace fuselab::engine
