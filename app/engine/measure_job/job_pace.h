// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <optional>
#include <string>

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
  // Sets how many seconds of the budget are kept for what comes after tuning.
  void keep(double seconds) { kept_seconds_ = seconds; }

  // Tells how far the job is, from how far its phase is: `done` and `seconds_left` are the phase's.
  void report(const std::string& phase, const std::string& activity, double done, std::optional<double> seconds_left,
              const std::string& detail = "");
  JobProgress counts() const;  // trials measured, reused and failed so far

 private:
  std::optional<double> seconds_left_of_job(const std::string& phase, std::optional<double> of_phase);

  const JobParts& parts_;
  std::chrono::steady_clock::time_point started_ = std::chrono::steady_clock::now();
  double waited_before_;
  JobBudget budget_;
  double first_figures_seconds_ = 0;  // they take or took; other phases without a budget are expected to take as long
  double kept_seconds_ = 0;
  double told_done_ = 0;  // how far the job was said to be
};

}  // namespace fuselab::engine
