// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <vector>

#include "core/fusion/match/fusion_types.h"

namespace fuselab {

// The outcome of fusing a graph, in numbers (C27). Only operators that run are counted: views and constants are not.
struct FusionStatistics {
  int operators = 0;
  int fused_operators = 0;  // those of them that share their piece with another
  int groups = 0;           // pieces of two operators and more
  int pieces = 0;           // all pieces that run, barriers included
  int rejected = 0;         // neighbouring pairs that stayed apart
  std::map<std::string, int> groups_by_pattern;
  std::map<std::string, int> rejected_by_reason;   // by the text of the reason
  std::map<std::string, int> rejected_by_backend;  // those of them that an asked backend's limit caused
  ImportCounts imported;                           // what reading the model folded and wrote out
  double started_unix_seconds = 0;                 // when fuse() began
  double seconds = 0;                              // duration of fuse()

  double fused_share() const { return operators > 0 ? static_cast<double>(fused_operators) / operators : 0.0; }
  double operators_per_group() const { return groups > 0 ? static_cast<double>(fused_operators) / groups : 0.0; }
};

FusionStatistics statistics_of(const FusionResult& fusion);

// Returns a sentence for each fold, `most` of them at most, and a last one that counts the others.
std::vector<std::string> fold_sentences(const ImportCounts& imported, std::size_t most);

}  // namespace fuselab
