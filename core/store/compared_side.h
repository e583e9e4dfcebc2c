// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string_view>

namespace fuselab {

// One of the two kernels that are held against each other: which of them is to blame that there is no verdict. kNeither: the
// machine, a worker, or nobody.
enum class ComparedSide { kNeither, kBaseline, kCandidate };

// "baseline", "candidate"; empty of kNeither.
constexpr std::string_view name_of(ComparedSide side) {
  if (side == ComparedSide::kNeither) return "";
  return side == ComparedSide::kBaseline ? "baseline" : "candidate";
}
// Nothing for any other name.
constexpr std::optional<ComparedSide> compared_side(std::string_view name) {
  for (const ComparedSide side : {ComparedSide::kNeither, ComparedSide::kBaseline, ComparedSide::kCandidate}) {
    if (name == name_of(side)) return side;
  }
  return std::nullopt;
}

}  // namespace fuselab
