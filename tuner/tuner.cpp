// SPDX-License-Identifier: Apache-2.0
#include "tuner/tuner.h"

#include <algorithm>
#include <chrono>

#include "core/stats/statistics.h"

namespace fuselab::tuner {
namespace {

using Clock = std::chrono::steady_clock;

constexpr int kConfirmRounds = 3;
constexpr std::size_t kStart = 0;  // of the evaluations: strategies ask for what the search begins with first

// One run of the loop: what has been found and why it should end.
class Tuning {
 public:
  Tuning(SearchStrategy& strategy, Evaluator& evaluator, const TuneOptions& options, std::stop_token stop,
         const std::function<void(const TuneProgress&)>& on_progress)
      : strategy_(strategy), evaluator_(evaluator), options_(options), stop_(std::move(stop)), on_progress_(on_progress) {}

  Result<TuneResult> run() {
    do {
      result_.confirmations.clear();
      confirmed_.clear();
      FL_TRY_VOID(search());
      if (result_.stopped != StopReason::kCancelled) FL_TRY_VOID(confirm());
      replace_by_confirmed();
    } while (result_.stopped == StopReason::kRoofline && !result_.confirmations.empty() && !near_roofline());
    choose_best();
    if (result_.stopped != StopReason::kCancelled) FL_TRY_VOID(compare_with_start());
    result_.seconds = elapsed();
    return std::move(result_);
  }

 private:
  Status search() {
    while (true) {
      if (const auto reason = reason_to_stop()) {
        result_.stopped = *reason;
        return Status();
      }
      const std::size_t left = static_cast<std::size_t>(options_.budget.trials) - result_.evaluations.size();
      const auto asked = strategy_.ask(std::min(std::max<std::size_t>(options_.batch, 1), left));
      if (asked.empty()) {
        result_.stopped = strategy_.exhausted() ? StopReason::kExhausted : StopReason::kConverged;
        return Status();
      }
      auto evaluated = evaluator_.evaluate(asked, stop_);
      if (!evaluated.ok()) {
        if (evaluated.error().code != ErrorCode::kCancelled) return std::move(evaluated).error();
        result_.stopped = StopReason::kCancelled;
        return Status();
      }
      FL_ASSERT(evaluated.value().size() == asked.size());
      record(std::move(evaluated).value());
    }
  }

  std::optional<StopReason> reason_to_stop() const {
    if (stop_.stop_requested()) return StopReason::kCancelled;
    if (near_roofline()) return StopReason::kRoofline;
    if (result_.evaluations.size() >= static_cast<std::size_t>(std::max(options_.budget.trials, 0))) return StopReason::kTrials;
    if (elapsed() >= options_.budget.seconds) return StopReason::kSeconds;
    return std::nullopt;
  }

  void record(std::vector<Evaluation> evaluated) {
    std::vector<Observation> told;
    for (auto& evaluation : evaluated) {
      const auto cost = cost_of(evaluation.result);
      told.push_back({evaluation.config, cost});
      if (!cost) ++failed_;
      const bool timed = cost && evaluation.result.outcome == Outcome::kTimed;
      if (timed && (!best_ns_ || *cost < *best_ns_)) best_ns_ = cost;
      timed_ns_.push_back(timed ? cost : std::nullopt);
      result_.evaluations.push_back(std::move(evaluation));
      report();
    }
    strategy_.tell(told);
  }

  bool near_roofline() const { return best_ns_ && options_.ideal && *best_ns_ <= options_.ideal->count * options_.good_enough; }

  // A search that one lucky figure ended at the roofline goes on.
  void replace_by_confirmed() {
    for (std::size_t i = 0; i < confirmed_.size(); ++i) {
      const PlanResult& result = result_.confirmations[i].result;
      timed_ns_[confirmed_[i]] = result.outcome == Outcome::kTimed ? cost_of(result) : std::nullopt;
    }
    best_ns_.reset();
    for (const auto& timed : timed_ns_) {
      if (timed && (!best_ns_ || *timed < *best_ns_)) best_ns_ = timed;
    }
  }

  void report() const {
    if (!on_progress_) return;
    on_progress_({static_cast<int>(result_.evaluations.size()), failed_, elapsed(), &result_.evaluations.back(), best_ns_});
  }

  // Indices of timed evaluations, fastest first; the earlier one of a tie.
  std::vector<std::size_t> ranking() const {
    std::vector<std::size_t> timed;
    for (std::size_t i = 0; i < timed_ns_.size(); ++i) {
      if (timed_ns_[i]) timed.push_back(i);
    }
    std::stable_sort(timed.begin(), timed.end(), [&](std::size_t a, std::size_t b) { return *timed_ns_[a] < *timed_ns_[b]; });
    return timed;
  }

  // A confirmation also verifies harder. When none of the best ends as timed, the next best are tried; one that was cut short
  // ends nothing: the search is to be gone on with.
  Status confirm() {
    const auto at_once = static_cast<std::size_t>(std::max(options_.retime_best, 0));
    std::vector<std::size_t> left = ranking();
    std::size_t count = at_once > 0 ? move_start_into_first(left, at_once) : 0;
    for (int round = 0; round < kConfirmRounds && count > 0 && !left.empty(); ++round) {
      const auto end = left.begin() + static_cast<std::ptrdiff_t>(std::min(left.size(), count));
      const std::vector<std::size_t> winners(left.begin(), end);
      left.erase(left.begin(), end);
      FL_TRY(const bool decided, confirm(winners));
      if (decided) return Status();
      count = at_once;
    }
    return Status();
  }

  // The configuration that the search began with is often the best of an earlier one: it is beaten side by side or not at all,
  // whatever its first figure was. Returns how many are confirmed first, with it.
  std::size_t move_start_into_first(std::vector<std::size_t>& ranked, std::size_t first) const {
    first = std::min(first, ranked.size());
    const auto end = ranked.begin() + static_cast<std::ptrdiff_t>(first);
    if (ranked.empty() || std::find(ranked.begin(), end, kStart) != end) return first;
    if (!cost_of(result_.evaluations[kStart].result)) return first;
    std::erase(ranked, kStart);
    ranked.insert(ranked.begin() + static_cast<std::ptrdiff_t>(first), kStart);
    return first + 1;
  }

  // Returns whether no more need be tried: one of these held, or there is no time for others.
  Result<bool> confirm(const std::vector<std::size_t>& winners) {
    std::vector<LaunchConfig> configs;
    for (const std::size_t index : winners) configs.push_back(result_.evaluations[index].config);
    auto confirmed = stop_.stop_requested() ? Error{ErrorCode::kCancelled, "cancelled"} : evaluator_.retime(configs, stop_);
    if (!confirmed.ok() && confirmed.error().code != ErrorCode::kCancelled) return std::move(confirmed).error();
    if (!confirmed.ok()) {
      result_.stopped = StopReason::kCancelled;
      return true;
    }
    FL_ASSERT(confirmed.value().size() == configs.size());
    bool one_held = false;
    for (std::size_t i = 0; i < winners.size(); ++i) {
      one_held = one_held || confirmed.value()[i].result.outcome == Outcome::kTimed;
      result_.confirmations.push_back(std::move(confirmed.value()[i]));
      confirmed_.push_back(winners[i]);
    }
    return one_held;
  }

  bool was_refuted(std::size_t evaluation) const {
    for (std::size_t i = 0; i < confirmed_.size(); ++i) {
      if (confirmed_[i] == evaluation) return result_.confirmations[i].result.outcome != Outcome::kTimed;
    }
    return false;
  }

  // The fastest confirmation; without any, the fastest first measurement whose confirmation did not fail.
  void choose_best() {
    std::optional<double> best;
    for (std::size_t i = 0; i < result_.confirmations.size(); ++i) {
      const auto& confirmation = result_.confirmations[i].result;
      const auto cost = cost_of(confirmation);
      if (confirmation.outcome != Outcome::kTimed || !cost) continue;
      if (!best || *cost < *best) {
        best = cost;
        result_.best = confirmed_[i];
      }
    }
    if (result_.best) return;
    for (const std::size_t index : ranking()) {
      if (was_refuted(index)) continue;
      result_.best = index;
      return;
    }
  }

  bool was_confirmed(std::size_t evaluation) const {
    const auto found = std::find(confirmed_.begin(), confirmed_.end(), evaluation);
    if (found == confirmed_.end()) return false;
    return result_.confirmations[static_cast<std::size_t>(found - confirmed_.begin())].result.outcome == Outcome::kTimed;
  }

  // The fastest of several, in one process, is mostly so by luck where they are equal: what was known keeps its place until it is
  // shown to be slower.
  Status compare_with_start() {
    if (!options_.compare_with_start || !result_.best || !was_confirmed(kStart)) return {};
    HeldAgainstStart& held =
        result_.held.emplace(HeldAgainstStart{kStart, *result_.best, std::nullopt, std::nullopt, ComparedSide::kNeither});
    if (held.winner == kStart) return {};
    auto compared = options_.compare_with_start(result_.evaluations[kStart], result_.evaluations[held.winner], held.failed);
    if (!compared.ok()) {
      const ErrorCode code = compared.error().code;
      if (code == ErrorCode::kIo || code == ErrorCode::kBusy) return compared.error();
      if (code == ErrorCode::kCancelled) result_.stopped = StopReason::kCancelled;
      held.why_not = compared.error();
    } else {
      held.result = compared.value();
    }
    const bool start_failed = held.why_not && held.failed == ComparedSide::kBaseline;
    const bool keeps = !start_failed && (!held.result || held.result->verdict != Verdict::kImproved);
    if (keeps) result_.best = kStart;
    return {};
  }

  double elapsed() const { return std::chrono::duration<double>(Clock::now() - start_).count() - (aside() - aside_before_); }
  double aside() const { return options_.seconds_aside ? options_.seconds_aside() : 0.0; }

  SearchStrategy& strategy_;
  Evaluator& evaluator_;
  const TuneOptions& options_;
  std::stop_token stop_;
  const std::function<void(const TuneProgress&)>& on_progress_;
  Clock::time_point start_ = Clock::now();
  double aside_before_ = aside();
  TuneResult result_;
  std::vector<std::optional<double>> timed_ns_;  // one per evaluation; only of those that may win
  std::vector<std::size_t> confirmed_;           // confirmations[i] is of evaluations[confirmed_[i]]
  std::optional<double> best_ns_;
  int failed_ = 0;
};

}  // namespace

std::string_view name_of(StopReason reason) {
  switch (reason) {
    case StopReason::kExhausted: return "exhausted";
    case StopReason::kConverged: return "converged";
    case StopReason::kTrials: return "trials";
    case StopReason::kSeconds: return "seconds";
    case StopReason::kRoofline: return "roofline";
    case StopReason::kCancelled: return "cancelled";
  }
  return "cancelled";
}

std::optional<double> cost_of(const PlanResult& result) {
  const bool has_samples = result.outcome == Outcome::kTimed || result.outcome == Outcome::kDropped;
  if (!has_samples || result.samples.empty()) return std::nullopt;
  // The median of few samples may be one that met somebody else's load, which only ever adds, so the least sample counts.
  if (result.outcome == Outcome::kDropped) return *std::min_element(result.samples.begin(), result.samples.end());
  return summarize(result.samples).median;
}

Result<TuneResult> tune(SearchStrategy& strategy, Evaluator& evaluator, const TuneOptions& options, std::stop_token stop,
                        const std::function<void(const TuneProgress&)>& on_progress) {
  return Tuning(strategy, evaluator, options, std::move(stop), on_progress).run();
}

}  // namespace fuselab::tuner
