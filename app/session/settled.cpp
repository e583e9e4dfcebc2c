// SPDX-License-Identifier: Apache-2.0
#include "app/session/settled.h"

#include "core/platform/child_process.h"

namespace fuselab::session {

bool settles(const PlanResult& result) {
  switch (result.outcome) {
    case Outcome::kTimed:
    case Outcome::kDropped:
    case Outcome::kUnsupported:
    case Outcome::kCompileError:
    case Outcome::kWrongResult:
    case Outcome::kLaunchError:
    case Outcome::kMistrusted: return true;  // its ceiling was doubted already; --remeasure doubts again
    case Outcome::kCrashed: return !platform::ended_from_outside(result.reason);
    default: return false;
  }
}

}  // namespace fuselab::session
