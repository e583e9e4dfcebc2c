// SPDX-License-Identifier: Apache-2.0
#include "app/session/search_shares.h"

#include <algorithm>
#include <cmath>
#include <cstdio>

namespace fuselab::session {
namespace {

// A first batch is measured however short a search's time is; with less than this there would be nothing else.
constexpr double kLeastSecondsPerSearch = 0.25;

}  // namespace

bool SearchShares::may_begin(int searches) const {
  return begun_ == 0 || left() >= kLeastSecondsPerSearch * searches;
}

void SearchShares::begin_turn(double share) {
  double const spent = spent_();
  turn_end_ = spent + (budget_ - spent) * share;
  in_turn_ = false;
}

std::optional<double> SearchShares::next(int searches_left) {
  double const spent = spent_();
  double const left = budget_ - spent;
  if (left <= 0 && begun_ > 0) return std::nullopt;
  double const beyond = in_turn_ ? std::max(0.0, spent - search_end_) : 0.0;
  double const even = (turn_end_ - spent) / std::max(1, searches_left) - beyond;
  double const seconds = std::min(std::max(even, kLeastSecondsPerSearch), std::max(left, 0.0));
  search_end_ = spent + seconds;
  in_turn_ = true;
  ++begun_;
  return seconds;
}

std::string SearchShares::left_out_text(int left_out) const {
  int const all = begun_ + left_out;
  double const enough = spent_() * all / std::max(1, begun_);
  char text[160];
  std::snprintf(text, sizeof text,
                "The budget of %g s ended before %d of %d searches had their turn; --budget %.0f would reach about all.", budget_,
                left_out, all, std::ceil(std::max(enough, budget_ + 1)));
  return text;
}

}  // namespace fuselab::session
