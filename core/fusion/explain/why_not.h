// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "core/fusion/match/fusion_types.h"

namespace fuselab {

// Why two operators of a model are not in one piece, or that they are.
struct WhyNot {
  std::string first, second;         // as they are called
  bool fused = false;                // both are in one piece
  std::vector<std::string> path;     // the shortest way from one to the other, both included; empty: neither reads of the other
  std::vector<FusionRejected> cuts;  // the pairs on that way that stayed apart
  std::string text;                  // one paragraph for people
};

// Operators are called as rejections call them, or by what one of their outputs is called. A name that none or several have is an
// error that lists candidates.
Result<WhyNot> why_not_fused(const FusionResult& fusion, const std::string& first, const std::string& second);
// The same of two operators that are known; an error where no output needs one of them, or both are one.
Result<WhyNot> why_not_fused(const FusionResult& fusion, NodeId first, NodeId second);

}  // namespace fuselab
