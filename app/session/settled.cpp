// SPDX-License-Identifier: Apache-2.0
#include "app/session/settled.h"

#include <algorithm>

#include "core/platform/child_process.h"

namespace fuselab::session {
namespace {

constexpr int kTriesOfAHang = 2;  // the first may have been the machine's fault

}  // namespace

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

std::vector<TrialRecord> settled_of(std::vector<TrialRecord> same_plan) {
  auto const timed_out = [](const TrialRecord& trial) { return trial.result.outcome == Outcome::kTimeout; };
  auto const ended = [](const TrialRecord& trial) { return settles(trial.result); };
  bool const hangs = std::count_if(same_plan.begin(), same_plan.end(), timed_out) >= kTriesOfAHang &&
                     std::none_of(same_plan.begin(), same_plan.end(), ended);
  std::erase_if(same_plan, [&](const TrialRecord& trial) { return !(hangs ? timed_out(trial) : ended(trial)); });
  return same_plan;
}

}  // namespace fuselab::session
