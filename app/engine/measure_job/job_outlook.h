// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>

#include "app/views/job_estimate.h"

namespace fuselab::engine {

// How far a job is over all of its phases, and how long it goes on: what its phase says of itself, and what the estimate says of
// the phases after it. Has no clock of its own. Used by the job's thread.
class JobOutlook {
 public:
  explicit JobOutlook(JobEstimate estimate = {}) : estimate_(std::move(estimate)) {}

  // Returns the seconds left of the whole job, `spent` seconds after it began. `of_phase`: those of its phase where it knows them;
  // else they are what the estimate leaves of it. Phases come in the order of the estimate; one may come again.
  double left(const std::string& phase, std::optional<double> of_phase, double spent);
  // Returns the share of the whole job that is done, from what left() returned last. It never falls.
  double done() const { return done_; }

 private:
  void enter(const std::string& phase, double spent);
  std::size_t end_of_phase() const;
  double after_phase(double spent, double here) const;

  JobEstimate estimate_;
  std::size_t at_ = 0;  // in estimate_.phases
  bool begun_ = false;  // one of them
  double began_ = 0;    // seconds of the job when its phase began
  double done_ = 0;
};

}  // namespace fuselab::engine
