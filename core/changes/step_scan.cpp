// SPDX-License-Identifier: Apache-2.0
#include "core/changes/step_scan.h"

#include <algorithm>
#include <cmath>

namespace fuselab {

Step StepScan::best(const StandardSeries& series, const StepPlaces& places) {
  const std::size_t n = series.values.size();
  const double phi = series.autocorrelation, start = std::sqrt(1 - phi * phi);
  whitened_.resize(n);
  constant_.resize(n);
  units_.resize(n);
  shares_.assign(n, 0);
  level_ = weight_ = squares_ = 0;
  for (std::size_t i = 0; i < n; ++i) {
    const double unit = units_[i] = 1 / series.deviations[i];
    whitened_[i] = i == 0 ? start * series.values[0] : series.values[i] - phi * series.values[i - 1];
    constant_[i] = i == 0 ? start * unit : unit - phi * units_[i - 1];
    level_ += constant_[i] * whitened_[i];
    weight_ += constant_[i] * constant_[i];
    squares_ += whitened_[i] * whitened_[i];
  }
  if (n == 0 || !(weight_ > 0)) return {};
  squares_ = std::max(0.0, squares_ - level_ * level_ / weight_);
  if (!(squares_ > 0)) return {};
  // A step from `at` on is whitened to a full unit there and to constant_ behind it: sums over what is behind.
  Step best;
  // -n ln(1-share) less the handicap is -n ln(1-score) of this score.
  const double older = std::exp(places.handicap / static_cast<double>(n));
  double behind = 0, behind_weight = 0;
  for (std::size_t at = n - 1; at >= 1; --at) {
    const double unit = units_[at];
    const double along = unit * whitened_[at] + behind, own = unit * unit + behind_weight;
    const double shared = constant_[at] * unit + behind_weight;
    const double left = own - shared * shared / weight_;
    const double moved = along - shared * level_ / weight_;
    shares_[at] = left > 0 ? moved * moved / (left * squares_) : 0;
    const double score = n - at <= places.recent ? shares_[at] : 1 - (1 - shares_[at]) * older;
    const bool allowed = at >= places.least_before && n - at >= places.least_after;
    if (allowed && (best.at == 0 || score > best.score)) best = {at, shares_[at], score};
    behind += constant_[at] * whitened_[at];
    behind_weight += constant_[at] * constant_[at];
  }
  return best;
}

double StepScan::share_of_line(const StandardSeries& series) const {
  const std::size_t n = whitened_.size();
  if (n < 3 || !(squares_ > 0)) return 0;
  const double phi = series.autocorrelation;
  double along = 0, own = 0, shared = 0, before = 0;
  for (std::size_t i = 0; i < n; ++i) {
    const double here = static_cast<double>(i) / series.deviations[i];
    const double slope = i == 0 ? 0 : here - phi * before;
    along += slope * whitened_[i];
    own += slope * slope;
    shared += slope * constant_[i];
    before = here;
  }
  const double left = own - shared * shared / weight_;
  const double moved = along - shared * level_ / weight_;
  return left > 0 ? moved * moved / left / squares_ : 0;
}

}  // namespace fuselab
