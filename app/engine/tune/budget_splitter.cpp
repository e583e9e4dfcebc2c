// SPDX-License-Identifier: Apache-2.0
#include "app/engine/tune/budget_splitter.h"

#include <algorithm>
#include <cmath>
#include <cstdio>

namespace fuselab::engine {
namespace {

// The least time for a search. A first batch is measured however short the time is; with less than this there would be nothing
// else.
constexpr double kLeastSecondsPerSearch = 0.25;
constexpr double kLeastOfFirstSearch = 0.01;  // long enough that its first batch begins

}  // namespace

bool BudgetSplitter::may_begin(int searches) const {
  return begun_ == 0 || left() >= kLeastSecondsPerSearch * searches;
}

void BudgetSplitter::begin_turn(double share) {
  const double spent = spent_();
  turn_end_ = spent + (budget_ - spent) * share;
  in_turn_ = false;
}

std::optional<double> BudgetSplitter::next(int searches_left) {
  const double spent = spent_();
  const double left = budget_ - spent;
  if (left <= 0 && begun_ > 0) return std::nullopt;
  const double beyond = in_turn_ ? std::max(0.0, spent - search_end_) : 0.0;
  const double even = (turn_end_ - spent) / std::max(1, searches_left) - beyond;
  const double least = begun_ == 0 ? kLeastOfFirstSearch : 0.0;
  const double seconds = std::max(std::min(std::max(even, kLeastSecondsPerSearch), left), least);
  search_end_ = spent + seconds;
  in_turn_ = true;
  ++begun_;
  return seconds;
}

std::string BudgetSplitter::left_out_text(int left_out) const {
  const int all = begun_ + left_out;
  const double enough = beside_ + spent_() * all / std::max(1, begun_);
  char text[160];
  std::snprintf(text, sizeof text,
                "The budget of %g s ended before %d of %d searches had their turn; --budget %.0f would reach about all.",
                budget_ + beside_, left_out, all, std::ceil(std::max(enough, budget_ + beside_ + 1)));
  return text;
}

}  // namespace fuselab::engine
