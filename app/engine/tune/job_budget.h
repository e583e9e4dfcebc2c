// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>

namespace fuselab::engine {

// Shares the time of one job among its parts. These are the first figures, tuning, confirming what is recommended, and comparing
// fused with unfused plans. Where they compete, confirming comes first and tuning last: tuning leaves what the other two are
// expected to take. Used by the job's thread.
class JobBudget {
 public:
  // `spent` returns how many seconds of the job are gone so far. With infinite `seconds` nothing is left out.
  JobBudget(double seconds, std::function<double()> spent) : seconds_(seconds), spent_(std::move(spent)) {}

  double left() const { return seconds_ - spent_(); }
  // Tells how long the first figures of one piece on one device took. What comes later is expected to take as long.
  void note_first_figures(double seconds);

  // Return the seconds left for these; another one may begin while there are any. The first figures on the first device always
  // may, or the table would have holes.
  double for_other_devices() const;
  double for_whole_models() const;

  // Return the seconds that confirming so many plans, and comparing so many pairs of plans in fresh processes, are expected to
  // take.
  double to_confirm(int plans) const;
  double to_compare(int pairs) const;
  // Returns the seconds that tuning has when so many pieces are to be confirmed after it and so many gains compared; at least 0.
  double for_tuning(int confirmations, int comparisons) const;

 private:
  double first_figures_seconds() const;

  double seconds_;
  std::function<double()> spent_;
  double noted_seconds_ = 0;
  int noted_ = 0;
};

}  // namespace fuselab::engine
