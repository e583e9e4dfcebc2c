// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "core/fusion/match/fusion_types.h"

namespace fuselab {

// The reason why two operators of a model are not in one piece, or the statement that they are.
struct WhyNot {
  std::string first, second;         // names of the operators
  bool fused = false;                // both are in one piece
  std::vector<std::string> path;     // the shortest way from one to the other, both included; empty: neither depends on the other
  std::vector<FusionRejected> cuts;  // the pairs on that way that stayed apart
  std::string text;                  // one paragraph for people
};

// Explains why two operators are not in one piece. Operators are named as rejections name them, or by the name of one of their
// outputs.
// Fails, listing candidates, when a name fits no operator or several.
Result<WhyNot> why_not_fused(const FusionResult& fusion, const std::string& first, const std::string& second);
// Does the same for two given nodes.
// Fails when no output needs one of them, or when both are the same node.
Result<WhyNot> why_not_fused(const FusionResult& fusion, NodeId first, NodeId second);

}  // namespace fuselab
