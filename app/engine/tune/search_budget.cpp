// SPDX-License-Identifier: Apache-2.0
#include "app/engine/tune/search_budget.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>

#include "core/base/content_hash.h"
#include "tuner/tuner.h"

namespace fuselab::engine {
namespace {

constexpr std::string_view kBudgetEnded = "budget";

bool was_unreached(const TuningRecord& record) {
  return record.stopped.starts_with(kBudgetEnded);
}

bool stopped_for(const TuningRecord& record, tuner::StopReason reason) {
  return record.stopped == tuner::name_of(reason);
}

// Returns whether nothing is left for any strategy to find.
bool is_conclusive(const TuningRecord& record) {
  return stopped_for(record, tuner::StopReason::kExhausted) || stopped_for(record, tuner::StopReason::kRoofline);
}

std::string key_of_prior(const std::vector<LaunchConfig>& prior) {
  std::string texts;
  for (const LaunchConfig& each : prior) texts += each.text() + "\n";
  return ContentHash::of(texts).hex().substr(0, 12);
}

}  // namespace

double SearchBudget::seconds_each() const {
  return budget_seconds / std::max(1, searches);
}

std::string SearchBudget::unreached(const std::string& given_up) const {
  char words[80];
  std::snprintf(words, sizeof words, " of %g s for %d searches", budget_seconds, searches);
  return std::string(kBudgetEnded) + words + (given_up.empty() ? "" : std::string(kGivenUp) + given_up);
}

bool was_unreached_under(const TuningRecord& record, const SearchBudget& budget) {
  double seconds = 0;
  int searches = 0;
  return record.strategy == budget.strategy &&
         std::sscanf(record.stopped.c_str(), "budget of %lg s for %d searches", &seconds, &searches) == 2 &&
         seconds == budget.budget_seconds && 10 * std::abs(searches - budget.searches) <= budget.searches;
}

SearchBudget search_budget_of(const JobSpec& spec, int searches) {
  SearchBudget budget{spec.strategy, spec.budget_seconds, spec.budget_trials, searches};
  const bool is_seeded = spec.strategy != "exhaustive";
  if (is_seeded && spec.seed != JobSpec().seed) budget.strategy += ", seed " + std::to_string(spec.seed);
  // Whatever it comes to in the space of one piece, a search that began elsewhere is another.
  if (!spec.prior.empty()) budget.strategy += ", prior " + key_of_prior(spec.prior);
  return budget;
}

bool was_searched(const TuningRecord& record) {
  return record.trials > 0 || !was_unreached(record);
}

bool is_answered(const TuningRecord& record, const SearchBudget& budget) {
  if (record.decision.open) return false;  // all trials are stored: only the decision is missing
  if (is_conclusive(record)) return true;
  if (record.strategy != budget.strategy) return false;
  if (was_unreached(record)) return record.stopped.substr(0, record.stopped.find(kGivenUp)) == budget.unreached();
  if (stopped_for(record, tuner::StopReason::kTrials)) return record.budget_trials >= budget.trials;
  return !stopped_for(record, tuner::StopReason::kSeconds) || record.budget_seconds >= budget.seconds_each();
}

}  // namespace fuselab::engine
