// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <span>
#include <string>

#include "core/measure/statistics.h"
#include "core/tuning/trial_record.h"

namespace fuselab {

// One verified and timed way to run a piece: a row of the measured table.
struct MeasuredCandidate {
  std::string device_id;  // "cpu:0"
  std::string backend;    // "cpu"
  PlanKind kind = PlanKind::kFused;
  double median_ns = 0;
  Interval interval;  // 95 % of the median
  bool synthetic = false;
  bool only_plan = false;  // a single operator: nothing was fused, so the plan's kind is not named
};

struct DefaultChoice {
  std::optional<std::size_t> candidate;  // index; nothing when nothing may be chosen
  std::string reason;                    // names the numbers: "cuda:0 fused 1.82 ms [1.79 ms, 1.86 ms], 1.43x faster than cpu:0"
  bool within_noise = false;             // another candidate's interval overlaps; the static order broke the tie
};

// The default for one piece from what was measured of it, fastest first (A5). Candidates whose interval overlaps the fastest
// one's are equal within noise: the automatic order of backends decides, then fused before unfused. Synthetic candidates only
// when asked for. Under a millisecond for any table a machine can have (R204).
DefaultChoice choose_default(std::span<const MeasuredCandidate> candidates, bool include_synthetic = false);

}  // namespace fuselab
