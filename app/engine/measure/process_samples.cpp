// SPDX-License-Identifier: Apache-2.0
#include "app/engine/measure/process_samples.h"

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "core/measure/disturbance.h"
#include "core/stats/statistics.h"

namespace fuselab::engine {
namespace {

constexpr int kDisturbedAtLeast = 6;  // the fewest disturbed processes for which the machine is called unfit

ErrorCode code_of(Outcome outcome) {
  switch (outcome) {
    case Outcome::kWrongResult: return ErrorCode::kNumerics;
    case Outcome::kOutOfMemory: return ErrorCode::kOutOfMemory;
    case Outcome::kTimeout: return ErrorCode::kTimeout;
    case Outcome::kCrashed: return ErrorCode::kCrashed;
    case Outcome::kCancelled: return ErrorCode::kCancelled;
    case Outcome::kUnsupported: return ErrorCode::kUnsupported;
    case Outcome::kSkipped: return ErrorCode::kUnavailable;
    default: return ErrorCode::kLaunchFailed;
  }
}

}  // namespace

std::string label_of(ComparedSide who) {
  return who == ComparedSide::kNeither ? "" : std::string(name_of(who)) + ": ";
}

Status check_timed(const PlanResult& plan, ComparedSide who) {
  if (plan.outcome == Outcome::kTimed) return {};
  return Error{code_of(plan.outcome), label_of(who) + std::string(name_of(plan.outcome)) + ": " + plan.reason};
}

Nanoseconds kept_spent(Nanoseconds spent) {
  constexpr double kUnit = 10'000;
  return {std::round(spent.count / kUnit) * kUnit};
}

BlockConditions kept_conditions(BlockConditions conditions) {
  for (std::vector<double>* const times : {&conditions.canary.compute, &conditions.canary.memory}) {
    if (!times->empty()) *times = {std::round(summarize(*times).median)};
  }
  return conditions;
}

std::string disturbance_of(const MeasuredBlock& measured) {
  const std::string lost = disturbance_of_pairs(measured.conditions);
  if (lost.empty() && measured.slow_processor.empty()) return {};
  const bool both = !lost.empty() && !measured.slow_processor.empty();
  return "disturbed while timing: " + lost + (both ? "; " : "") + measured.slow_processor;
}

std::string impossible_in(std::span<const double> samples) {
  const auto wrong =
      std::find_if(samples.begin(), samples.end(), [](double sample) { return !std::isfinite(sample) || sample <= 0; });
  if (wrong == samples.end()) return {};
  char text[80];
  std::snprintf(text, sizeof text, "disturbed while timing: a sample of %.4g ns, which no clock gives", *wrong);
  return text;
}

Status check_fitness(int disturbed, std::size_t processes, const std::string& last) {
  if (disturbed < kDisturbedAtLeast || 2 * disturbed <= static_cast<int>(processes)) return {};
  return Error{ErrorCode::kUnavailable, "the machine is not fit to compare on: " + std::to_string(disturbed) + " of " +
                                            std::to_string(processes) + " processes were " + last};
}

}  // namespace fuselab::engine
