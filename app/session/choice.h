// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "app/session/snapshots.h"

namespace fuselab::session {

// The default for one piece, chosen from the measured cells of its row, with the numbers that decided. A device whose interval
// overlaps the fastest one's is "within noise" and said so. Nothing measured: an empty device and the reason why.
struct Choice {
  std::string device_id;
  PlanKind plan = PlanKind::kFused;
  std::string reason;
};
Choice choose_device(const CompareRow& row);

}  // namespace fuselab::session
