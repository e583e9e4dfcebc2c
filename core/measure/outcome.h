// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "core/base/result.h"

namespace fuselab {

// How a trial ended: a closed list, stored even when bad (a loser is knowledge).
enum class Outcome {
  kTimed,        // matched and timed: the only one that may be compared or exported
  kMatched,      // verified, not (yet) timed
  kDropped,      // verified, too slow after the first samples to be worth more
  kUnsupported,  // the backend says no, with a reason
  kSkipped,      // footprint, budget or the state of the machine: says what it needs
  kCompileError,
  kLaunchError,
  kWrongResult,
  kOutOfMemory,
  kTimeout,
  kCrashed,
  kMistrusted,  // faster than its ceiling allows (> 103 %)
  kCancelled,
};
std::string_view name_of(Outcome outcome);  // "timed", "wrong-result", …
Result<Outcome> parse_outcome(std::string_view name);

}  // namespace fuselab
