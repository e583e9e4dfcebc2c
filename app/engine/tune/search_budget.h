// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "app/engine/subject/job_spec.h"
#include "core/store/trial_record.h"

namespace fuselab::engine {

// What a job gives each search: its strategy, and how long. Two jobs that give the same have the same question, so that
// the second of them has nothing to do; a job that gives a search more than the last one did goes on with it.
struct SearchBudget {
  std::string strategy;       // "random", "random, seed 9": as TuningRecord::strategy
  double budget_seconds = 0;  // of the whole job
  int trials = 0;             // at most, for each search
  int searches = 1;           // in the whole job, ended ones included

  // Its equal share. What a search is given in its turn depends on what can be won by then, which no second job could repeat.
  double seconds_each() const;
  // TuningRecord::stopped of a search whose turn never came.
  std::string unreached() const;
};
SearchBudget search_budget_of(const JobSpec& spec, int searches);

// Whether its configurations come from a search, and not from one whose turn never came.
bool was_searched(const TuningRecord& record);
// Whether the budget adds nothing to what the record says.
bool is_answered(const TuningRecord& record, const SearchBudget& budget);

}  // namespace fuselab::engine
