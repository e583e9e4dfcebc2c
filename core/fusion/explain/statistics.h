// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>

#include "core/fusion/match/fusion_types.h"

namespace fuselab {

// What fusing a graph did, in numbers (C27). Operators are those that run: views and constants are counted nowhere.
struct FusionStatistics {
  int operators = 0;
  int fused_operators = 0;  // of those, the ones that share their piece with another
  int groups = 0;           // pieces of two operators and more
  int pieces = 0;           // all that run, barriers included
  int rejected = 0;         // neighbouring pairs that stayed apart
  std::map<std::string, int> groups_by_pattern;
  std::map<std::string, int> rejected_by_reason;   // as told; equal texts once
  std::map<std::string, int> rejected_by_backend;  // of those, what an asked backend's limit kept apart
  double started_unix_seconds = 0;                 // when fuse() began
  double seconds = 0;                              // what it took

  double fused_share() const { return operators > 0 ? static_cast<double>(fused_operators) / operators : 0.0; }
  double operators_per_group() const { return groups > 0 ? static_cast<double>(fused_operators) / groups : 0.0; }
};

FusionStatistics statistics_of(const FusionResult& fusion);

}  // namespace fuselab
