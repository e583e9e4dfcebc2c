// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/select/workload_characteristics.h"
#include "core/stats/statistics.h"

namespace fuselab {

enum class Advice { kBatch, kFuse, kDoNotFuse, kAvoidRandomAccess, kKeepOnDevice, kRaiseParallelism };
std::string_view name_of(Advice advice);

struct Recommendation {
  Advice advice = Advice::kBatch;
  std::string text;  // one sentence with the numbers that it rests on
};

// The facts about a piece on the device that was chosen for it; times in nanoseconds.
struct AdvisedPiece {
  WorkloadCharacteristics work;
  double ns = 0;                    // time in the chosen plan
  double launch_ns = 0;             // the device's floor
  std::optional<double> moving_ns;  // time of moving its bytes at the device's measured bandwidth
  // The time of copying its inputs and outputs between host and device; nothing: not needed or not known.
  std::optional<double> transfer_ns;
  std::optional<Ratio> fusion_gain;  // unfused / fused, measured in turns
  std::int64_t compute_units = 1;
};

// Returns advice (R181): batch what is mostly launching, fuse what is mostly moving, restructure random access, keep data where it
// is worked on, give a device enough parallel work. Only advice that the numbers support is given, which may be none.
std::vector<Recommendation> recommend(const AdvisedPiece& piece);

}  // namespace fuselab
