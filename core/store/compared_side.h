// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string_view>

namespace fuselab {

// The side of a comparison of two kernels that is to blame for a missing verdict. kNeither: the machine, a worker, or no cause.
enum class ComparedSide { kNeither, kBaseline, kCandidate };

// Returns "baseline", "candidate", or an empty text for kNeither.
constexpr std::string_view name_of(ComparedSide side) {
  if (side == ComparedSide::kNeither) return "";
  return side == ComparedSide::kBaseline ? "baseline" : "candidate";
}
// Returns nothing for any other name.
constexpr std::optional<ComparedSide> compared_side(std::string_view name) {
  for (const ComparedSide side : {ComparedSide::kNeither, ComparedSide::kBaseline, ComparedSide::kCandidate}) {
    if (name == name_of(side)) return side;
  }
  return std::nullopt;
}

}  // namespace fuselab
