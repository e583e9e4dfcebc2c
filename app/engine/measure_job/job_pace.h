// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <optional>
#include <string>

#include "app/engine/measure_job/job_outlook.h"
#include "app/engine/measure_job/job_parts.h"
#include "app/engine/tune/job_budget.h"

namespace fuselab::engine {

// How far a job is: its clock, its budget, and the progress that it tells from both.
class JobPace {
 public:
  explicit JobPace(const JobParts& parts);
  JobPace(const JobPace&) = delete;  // the budget asks this clock
  JobPace& operator=(const JobPace&) = delete;

  // Returns the seconds since the job began, pauses and waits for other processes' measurements left out.
  double seconds_spent() const;
  JobBudget& budget() { return budget_; }
  // Sets what the whole job is expected to take; before that no time left is known.
  void expect(JobEstimate estimate) { outlook_.emplace(std::move(estimate)); }

  // Tells how far the job is over all of its phases. `of_phase`: the seconds left of this one, where it knows them.
  void report(const std::string& phase, const std::string& activity, std::optional<double> of_phase,
              const std::string& detail = "");
  void report_end();
  JobProgress counts() const;  // trials measured, reused and failed so far

 private:
  void push(JobProgress progress) const;

  const JobParts& parts_;
  std::chrono::steady_clock::time_point started_ = std::chrono::steady_clock::now();
  double waited_before_;
  JobBudget budget_;
  std::optional<JobOutlook> outlook_;
};

}  // namespace fuselab::engine
