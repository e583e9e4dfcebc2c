// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>

#include "core/measure/plan.h"

namespace fuselab {

// The times of reading a few marked lines of memory around one emptying of the caches, in ns per line. The lines belong to nothing
// that is timed.
struct ColdRead {
  double memory = 0;  // before, when the lines were emptied by address
  double warm = 0;    // before, when the lines were read a moment ago
  double after = 0;   // after the caches were emptied
};

// The verdict on cold samples.
struct ColdState {
  enum class Kind { kCold, kWarm, kUnverified };
  Kind kind = Kind::kUnverified;
  std::string text;  // begins with "cold: ", "not cold: " or "cold, unverified: "
};

// The share of the lines that may still be warm: a block's median above it is not the scatter of memory's latency.
inline constexpr double kMostStillWarm = 0.25;
// The least ratio of the time of a line from memory to that of a line from a cache. Below it the times do not tell where a line
// came from.
inline constexpr double kLeastContrast = 2;

// Judges by the share of the marked lines that each emptying left warm, computed from their time between that of memory (0) and
// that of the caches (1). A median share above kMostStillWarm is warm. Without reads, or where the reads do not tell caches from
// memory, the state is unverified. `what` names what should have emptied the caches.
ColdState judge_cold(std::span<const ColdRead> reads, const std::string& what = "emptying the caches");
// Returns the state for a device whose caches cannot be probed from the host.
ColdState cold_unverified(const std::string& why);

// Adds the verdict to the result of a plan that was timed cold: when it was not cold, its samples are removed and it ends as
// skipped, with the reason; else its verification says what was seen. Other results are left alone.
void note_cold(PlanResult& result, const ColdState& state);
// Returns why it could not be verified that samples were cold: "unverified: …"; empty when they were verified or are not cold.
std::string why_unverified(const PlanResult& result);

}  // namespace fuselab
