// SPDX-License-Identifier: Apache-2.0
#include "app/engine/tune/search_decision.h"

#include <algorithm>
#include <cmath>

namespace fuselab::engine {
namespace {

constexpr double kShareOfSearch = 0.05;  // of its seconds, as kernel time
constexpr double kLeastBudget = 0.2e9, kMostBudget = 2e9;
constexpr int kMostProcesses = 12;
constexpr int kFewestRounds = 2 * kLeastPairs, kUsualRounds = 20;

double or_zero(double value) {
  return std::isfinite(value) ? value : 0;
}

}  // namespace

ComparisonRule rule_of_search(double search_seconds, Nanoseconds round) {
  ComparisonRule rule;
  rule.budget = {std::clamp(kShareOfSearch * search_seconds * 1e9, kLeastBudget, kMostBudget)};
  rule.most_processes = kMostProcesses;
  const double affordable = rule.budget.count / (rule.least_processes * std::max(round.count, 1.0));
  rule.first_rounds = 2 * static_cast<int>(std::clamp(affordable, 1.0 * kFewestRounds, 1.0 * kUsualRounds) / 2);
  return rule;
}

ComparisonRule rule_to_decide(int processes, Nanoseconds round) {
  ComparisonRule rule = rule_of_search(0, round);
  const ComparisonRule gate;
  rule.budget = gate.budget;
  rule.least_processes = std::max(gate.least_processes, processes + 1);
  rule.most_processes = std::max(gate.most_processes, 2 * processes);
  return rule;
}

Nanoseconds round_of(double one_ns, double other_ns, const Protocol& protocol) {
  const bool repeats = protocol.mode == CacheMode::kWarm || protocol.mode == CacheMode::kRotating;
  const double least = repeats ? protocol.min_sample.count : 0;
  return {std::max(least, one_ns) + std::max(least, other_ns)};
}

Nanoseconds round_of(const tuner::Evaluation& start, const tuner::Evaluation& winner, const Protocol& protocol) {
  return round_of(tuner::cost_of(start.result).value_or(0), tuner::cost_of(winner.result).value_or(0), protocol);
}

TuningDecision decision_of(const tuner::TuneResult& result) {
  TuningDecision decision;
  if (!result.held) return decision;
  const tuner::HeldAgainstStart& held = *result.held;
  decision.baseline = result.evaluations[held.start].config.text();
  if (held.winner == held.start) return decision;
  decision.candidate = result.evaluations[held.winner].config.text();
  if (held.why_not) {
    decision.reason = held.why_not->message;
    decision.failed = held.failed;
    decision.open = held.why_not->code == ErrorCode::kUnavailable && held.failed == ComparedSide::kNeither;
  }
  if (!held.result) return decision;
  const ComparisonResult& compared = *held.result;
  decision.verdict = name_of(compared.verdict);
  decision.ratio = compared.ratio;
  decision.low = or_zero(compared.interval.low);
  decision.high = or_zero(compared.interval.high);
  decision.processes = compared.processes;
  return decision;
}

TuningDecision decision_in_force(const TuningDecision& now, const TuningRecord& before) {
  const bool put_it_there =
      before.decision.verdict == name_of(Verdict::kImproved) && before.decision.candidate == before.best_config;
  const bool stays = now.baseline == before.best_config && now.verdict != name_of(Verdict::kImproved) && !now.open;
  return put_it_there && stays ? before.decision : now;
}

}  // namespace fuselab::engine
