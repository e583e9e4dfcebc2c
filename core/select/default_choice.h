// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <span>
#include <string>

#include "core/kernel/nan_loss.h"
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
  bool only_plan = false;  // a single operator: nothing was fused, so the plan's kind is not named
  // What fusing gains on this device, unfused / fused, from processes in which this plan and its device's other one were timed in
  // turns; the same at both. Nothing where they were not timed together.
  std::optional<Ratio> fusion_gain;
  int gain_processes = 1;
  bool is_host_cpu_again = false;  // DeviceInfo::is_host_cpu_again(): last where the static order decides
  NanLoss nan_loss = NanLoss::kNone;
};

struct DefaultChoice {
  std::optional<std::size_t> candidate;  // index; nothing when nothing may be chosen
  std::string reason;                    // names the numbers: "cuda:0 fused 1.82 ms [1.79 ms, 1.86 ms], 1.43x faster than cpu:0"
  bool within_noise = false;             // another candidate may be as fast; the static order broke the tie
};

// The default for one piece from what was measured of it (A5). First each device has its plan: where both were timed in turns, the
// interval of their ratio decides, which noise that befell both cannot widen; where it holds 1, or where the two intervals overlap
// of plans that were timed apart, they are equal within noise and the device fuses. Then the fastest device: those whose interval
// overlaps its are equal within noise, and the automatic order of backends decides. Synthetic candidates only when asked for. What
// loses NaN is chosen where that is accepted; where not, the reason names the fastest such plan that would have won. Under a
// millisecond for any table a machine can have (R204).
DefaultChoice choose_default(std::span<const MeasuredCandidate> candidates, bool include_synthetic = false);

// "; onednn:0 fused 1.20 ms would be 2.10x faster, but loses NaN (--accept nan-loss takes it)": for the reason of a choice beside
// it.
std::string withheld_text(const std::string& plan, double ns, double chosen_ns);

}  // namespace fuselab
