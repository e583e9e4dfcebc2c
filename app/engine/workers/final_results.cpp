// SPDX-License-Identifier: Apache-2.0
#include "app/engine/workers/final_results.h"

#include <algorithm>

#include "core/platform/processes/child_process.h"

namespace fuselab::engine {
namespace {

constexpr int kTriesOfAHang = 2;  // the first may have been the machine's fault

}  // namespace

bool is_final(const PlanResult& result) {
  switch (result.outcome) {
    case Outcome::kTimed:
    case Outcome::kDropped:
    case Outcome::kUnsupported:
    case Outcome::kCompileError:
    case Outcome::kWrongResult:
    case Outcome::kLaunchError: return true;
    case Outcome::kMistrusted: return false;  // its ceiling may have been too low, and raised since
    case Outcome::kCrashed: return !platform::ended_from_outside(result.reason);
    default: return false;
  }
}

std::vector<TrialRecord> final_of(std::vector<TrialRecord> same_plan) {
  const auto timed_out = [](const TrialRecord& trial) { return trial.result.outcome == Outcome::kTimeout; };
  const auto ended = [](const TrialRecord& trial) { return is_final(trial.result); };
  const bool hangs = std::count_if(same_plan.begin(), same_plan.end(), timed_out) >= kTriesOfAHang &&
                     std::none_of(same_plan.begin(), same_plan.end(), ended);
  std::erase_if(same_plan, [&](const TrialRecord& trial) { return !(hangs ? timed_out(trial) : ended(trial)); });
  return same_plan;
}

}  // namespace fuselab::engine
