// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <cstdint>
#include <string>

#include "core/fields/fields.h"

namespace fuselab {

// A comparison of a piece's operators run one after the other with the piece as one kernel, in fresh processes and by the rule of
// the performance gate (core/stats). It gives the piece's gain on a device. Append-only; for the same two plans the strongest
// counts.
struct GainRecord {
  std::string piece_key;
  std::string device_id;
  std::string metric_key;
  std::string environment_key;
  std::string fused_plan, unfused_plan;  // TrialRecord::plan_key
  std::string run_id;                    // RunRecord::id
  std::string verdict;       // name_of(Verdict) for the unfused plan compared with the fused one; empty where there is none
  double ratio = 1;          // time of the unfused plan over the fused one's
  double low = 0, high = 0;  // interval of the true ratio, with the certainty of the rule
  int processes = 0;         // 0: one of the plans failed, for which `reason` is set
  std::string reason;
  std::int64_t created_unix_ms = 0;

  bool is_known() const { return processes > 0; }
  // The strength of what is known is the number of fresh processes that it stands on.
  bool is_stronger_than(const GainRecord& other) const { return processes > other.processes; }
  // Returns true when a comparison can have produced these figures.
  bool is_possible() const {
    if (!is_known()) return processes == 0;
    return std::isfinite(high) && low > 0 && low <= ratio && ratio <= high;
  }
};

constexpr auto fields_of(const GainRecord*) {
  using fields::field;
  using Gain = GainRecord;
  return fields::list<Gain>(field("piece_key", &Gain::piece_key), field("device_id", &Gain::device_id),
                            field("metric_key", &Gain::metric_key), field("environment_key", &Gain::environment_key),
                            field("fused_plan", &Gain::fused_plan), field("unfused_plan", &Gain::unfused_plan),
                            field("run_id", &Gain::run_id), field("verdict", &Gain::verdict), field("ratio", &Gain::ratio),
                            field("low", &Gain::low), field("high", &Gain::high), field("processes", &Gain::processes),
                            field("reason", &Gain::reason), field("created_unix_ms", &Gain::created_unix_ms));
}

}  // namespace fuselab
