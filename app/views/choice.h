// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>

#include "app/views/snapshots.h"

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

}  // namespace fuselab::engine
