// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "app/engine/subject/job_spec.h"
#include "core/store/trial_record.h"

namespace fuselab::engine {

// The strategy and time that a job gives each search. Two jobs that give the same ask the same question, so the second has nothing
// to do; a job that gives a search more than the last one did continues it.
struct SearchBudget {
  std::string strategy;       // "random", "random, seed 9": as in TuningRecord::strategy
  double budget_seconds = 0;  // of the whole job
  int trials = 0;             // the most for each search
  int searches = 1;           // in the whole job, ended ones included

  // Returns an equal share of the budget for each search. The time that a search really gets in its turn depends on what can be won
  // by then, which no second job could repeat.
  double seconds_each() const;
  // Returns TuningRecord::stopped for a search whose turn never came: because the time was over, or for this reason.
  std::string unreached(const std::string& given_up = "") const;
};
// Returns whether the record is of a search whose turn never came under about this budget: the same seconds for a tenth more or
// fewer searches, which are not counted exactly before a job begins.
bool was_unreached_under(const TuningRecord& record, const SearchBudget& budget);
SearchBudget search_budget_of(const JobSpec& spec, int searches);

// Returns whether the record's configuration comes from a search whose turn came.
bool was_searched(const TuningRecord& record);
// Returns whether a search with this budget would add nothing to the record.
bool is_answered(const TuningRecord& record, const SearchBudget& budget);

}  // namespace fuselab::engine
