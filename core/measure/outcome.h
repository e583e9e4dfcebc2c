// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "core/base/result.h"

namespace fuselab {

// The ways in which a trial ends: a closed list. Every trial is stored, bad ones included.
enum class Outcome {
  kTimed,        // matched and timed: the only one that may be compared or exported
  kMatched,      // verified, not (yet) timed
  kDropped,      // verified, too slow after the first samples to be worth more
  kUnsupported,  // the backend refused it, with a reason
  kSkipped,      // for its footprint, the budget or the state of the machine; the reason says what it needs
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
