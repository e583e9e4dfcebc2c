// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <utility>

namespace fuselab::engine {

// Splits what a job's budget has for tuning among its searches. A turn is a piece's share of what is left. The searches of a turn
// divide it evenly; the time that the last search took beyond its own, to compile a batch and confirm its winners, is subtracted
// from the rest. Used by the job's thread.
class BudgetSplitter {
 public:
  // `spent` returns how many seconds of the budget are gone so far. Other work of the job has `beside` more, which is not divided.
  BudgetSplitter(double budget_seconds, std::function<double()> spent, double beside = 0)
      : budget_(budget_seconds), spent_(std::move(spent)), beside_(beside) {}

  double left() const { return budget_ - spent_(); }
  // Returns whether a turn of so many searches is worth beginning, since a piece is tuned as a whole or not at all. Always true for
  // the first one.
  bool may_begin(int searches) const;
  // Begins a turn with `share` of what is left, 0 to 1.
  void begin_turn(double share);
  // Returns the seconds for the next search of this turn, of `searches_left`; nullopt once the budget is spent, but never for the
  // job's first search.
  std::optional<double> next(int searches_left);
  // Returns a closing message: how many searches had no turn, and about what budget all of them would need, judging by those that
  // had one.
  std::string left_out_text(int left_out) const;

 private:
  double budget_;
  std::function<double()> spent_;
  double beside_;
  double turn_end_ = 0;  // in seconds of the budget, like the next member
  double search_end_ = 0;
  bool in_turn_ = false;
  int begun_ = 0;
};

}  // namespace fuselab::engine
