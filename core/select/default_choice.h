// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <span>
#include <string>

#include "core/kernel/drawback.h"
#include "core/stats/statistics.h"
#include "core/store/trial_record.h"

namespace fuselab {

// One verified and timed way to run a piece: a row of the measured table.
struct MeasuredCandidate {
  std::string device_id;  // "cpu:0"
  std::string backend;    // "cpu"
  PlanKind kind = PlanKind::kFused;
  double median_ns = 0;
  Interval interval;  // 95 % of the median
  bool synthetic = false;
  bool only_plan = false;  // a single operator: nothing was fused, so the reason does not name the plan's kind
  // The gain from fusing on this device, unfused / fused, from processes in which both plans of the device were timed in turns; it
  // is the same for both plans. Nothing where they were not timed together.
  std::optional<Ratio> fusion_gain;
  int gain_processes = 1;
  bool is_host_cpu_again = false;  // DeviceInfo::is_host_cpu_again(): last where the static order decides
  std::size_t preference = 0;      // preference_rank(): before the static order decides
  PlanDrawbacks drawbacks = {};
  bool disturbed = false;  // other load took the processor while it was timed: its figure carries a mark
};

struct DefaultChoice {
  std::optional<std::size_t> candidate;  // index; nothing when no candidate may be chosen
  std::string reason;                    // names the numbers: "cuda:0 fused 1.82 ms [1.79 ms, 1.86 ms], 1.43x faster than cpu:0"
  bool within_noise = false;             // another candidate may be as fast; the static order broke the tie
};

// Chooses the default for one piece from its measurements (A5). First each device gets its plan: where both plans were timed in
// turns, the interval of their ratio decides, which noise common to both cannot widen: the device fuses where it gains and where
// the two are the same (gain_verdict.h); while that is undecided it takes the plan with the lower median. Where plans were timed
// apart and their intervals overlap, they are equal within noise and the device fuses. Then the fastest device is chosen: devices
// whose interval overlaps the fastest one's are equal within noise, and the user's preference, then the automatic order of backends
// decides. Synthetic
// candidates are only considered when asked for. A plan that loses NaN is chosen where that is accepted; where not, the reason
// names the fastest such plan that would have won. Takes under a millisecond for any table a machine can have (R204).
DefaultChoice choose_default(std::span<const MeasuredCandidate> candidates, bool include_synthetic = false);

// Returns the part of a reason that names the plan not chosen: "; onednn:0 fused 1.20 ms would be 2.10x faster, but loses NaN
// (--accept nan-loss takes it)".
std::string withheld_text(const std::string& plan, double ns, double chosen_ns, Drawbacks withheld);

}  // namespace fuselab
