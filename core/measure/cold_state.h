// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>

#include "core/measure/plan.h"

namespace fuselab {

// What reading a few marked lines of memory took around one emptying of the caches, in ns a line. They belong to nothing that is
// timed.
struct ColdRead {
  double memory = 0;  // before: emptied by address
  double warm = 0;    // before: read a moment ago
  double after = 0;   // after the caches were emptied
};

// What may be said of cold samples.
struct ColdState {
  enum class Kind { kCold, kWarm, kUnverified };
  Kind kind = Kind::kUnverified;
  std::string text;  // begins with "cold: ", "not cold: " or "cold, unverified: "
};

// The share of what was warm that may still be warm: what a block's median shows beyond it is not the scatter of memory's latency.
inline constexpr double kMostStillWarm = 0.25;
// Where a line from memory takes less than this many times as long as one from a cache, neither tells where it came from.
inline constexpr double kLeastContrast = 2;

// By the medians of a block: where a line was between the caches and memory after each emptying, 1 for where it lay before. Warm
// beyond kMostStillWarm. Unverified without reads, or where they do not tell caches from memory.
// `what` should have emptied them.
ColdState judge_cold(std::span<const ColdRead> reads, const std::string& what = "emptying the caches");
// Of a device whose caches nobody can look into from here.
ColdState cold_unverified(const std::string& why);

// Of a plan that was timed cold: where it was not, its samples go and it ends as skipped, with the reason; else its verification
// says what was seen. Others are left alone.
void note_cold(PlanResult& result, const ColdState& state);
// Why nobody could see that its samples were cold: "unverified: …"; empty: they were verified, or are not cold ones.
std::string why_unverified(const PlanResult& result);

}  // namespace fuselab
