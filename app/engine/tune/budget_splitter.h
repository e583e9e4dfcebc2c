// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <utility>

namespace fuselab::engine {

// How much of a job's budget each search gets. A turn is a piece's share of what is left; its searches divide it evenly, less what
// the last one took beyond its time to compile a batch and confirm its winners. Used by the job's thread.
class BudgetSplitter {
 public:
  // `spent` says how many seconds of the budget are gone so far.
  BudgetSplitter(double budget_seconds, std::function<double()> spent) : budget_(budget_seconds), spent_(std::move(spent)) {}

  double left() const { return budget_ - spent_(); }
  // Whether a turn of so many searches is worth beginning: a piece is tuned as a whole or not at all. The first one always is.
  bool may_begin(int searches) const;
  // `share` of what is left, 0 to 1.
  void begin_turn(double share);
  // Seconds for the next search of this turn, of `searches_left`; nothing once the budget is spent, however few are left.
  std::optional<double> next(int searches_left);
  // For the end: how many searches had no turn, and what budget would do for about all, by what those took that had one.
  std::string left_out_text(int left_out) const;

 private:
  double budget_;
  std::function<double()> spent_;
  double turn_end_ = 0;  // of the budget, as all of these
  double search_end_ = 0;
  bool in_turn_ = false;
  int begun_ = 0;
};

}  // namespace fuselab::engine
