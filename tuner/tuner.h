// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"
#include "core/base/units.h"
#include "core/stats/comparison.h"
#include "core/store/compared_side.h"
#include "tuner/evaluator.h"
#include "tuner/strategies/search_strategy.h"

namespace fuselab::tuner {

struct Budget {
  int trials = 64;      // distinct configurations evaluated, reused ones included
  double seconds = 30;  // wall clock, less TuneOptions::seconds_aside
};

struct TuneOptions {
  Budget budget;
  std::size_t batch = 4;             // configurations per interleaved block
  std::optional<Nanoseconds> ideal;  // speed of light: stop when the best is within `good_enough` of it
  double good_enough = 1.05;
  int retime_best = 3;  // number of the best that are confirmed in a fresh process; 0: none
  // Returns the seconds so far that passed inside the evaluator and do not count as the search's, such as a pause; it never
  // decreases. Empty: all seconds count.
  std::function<double()> seconds_aside = {};
  // Compares the winner with the start of the search, in fresh processes. The winner replaces the start only when the verdict is
  // kImproved, or when the comparison failed because of the start's kernel: `failed` says whose kernel failed. kCancelled ends the
  // search, kIo and kBusy make it fail; after any other error the start stays. Empty: the fastest confirmation wins.
  std::function<Result<ComparisonResult>(const Evaluation& start, const Evaluation& winner, ComparedSide& failed)>
      compare_with_start = {};
};

enum class StopReason { kExhausted, kConverged, kTrials, kSeconds, kRoofline, kCancelled };
std::string_view name_of(StopReason reason);

struct TuneProgress {
  int tried = 0;
  int failed = 0;
  double seconds = 0;
  const Evaluation* latest = nullptr;
  std::optional<double> best_ns;
};

// The comparison of the fastest confirmation with the start of the search.
struct HeldAgainstStart {
  std::size_t start = 0, winner = 0;       // indices into evaluations; equal: nothing was faster in the confirmation
  std::optional<ComparisonResult> result;  // nothing: they could not be compared, or are the same
  std::optional<Error> why_not;
  ComparedSide failed = ComparedSide::kNeither;  // side whose kernel failed; a start that failed is replaced
};

struct TuneResult {
  std::vector<Evaluation> evaluations;    // all, in order
  std::vector<Evaluation> confirmations;  // the re-timed winners
  std::optional<std::size_t> best;        // index into evaluations: the winner after confirmation
  std::optional<HeldAgainstStart> held;   // nothing where the start was not confirmed, or no comparison was requested
  StopReason stopped = StopReason::kExhausted;
  double seconds = 0;
};

// Returns the cost in ns that strategies are told: the median of a timed result, the fastest sample of a dropped one; nothing for
// any other outcome.
std::optional<double> cost_of(const PlanResult& result);

// Runs the only tuning loop: ask → evaluate → tell until the space, the budget, the roofline or the user ends it. Then the best
// TuneOptions::retime_best and the start are timed again in a fresh process, and the fastest of them is compared with the start.
// Reacts to `stop` between blocks (≤ 100 ms besides a running block).
Result<TuneResult> tune(SearchStrategy& strategy, Evaluator& evaluator, const TuneOptions& options, std::stop_token stop,
                        const std::function<void(const TuneProgress&)>& on_progress = {});

}  // namespace fuselab::tuner
