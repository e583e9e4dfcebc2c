// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace fuselab {

// A series in units of its noise: values about 0, each divided by its own standard deviation, which is in `deviations` up to a
// common factor; neighbours correlated as in u(i) = autocorrelation u(i-1) + e(i).
struct StandardSeries {
  std::span<const double> values;
  std::span<const double> deviations;  // as many, above 0
  double autocorrelation = 0;          // from 0 to below 1
};

// How much of a series' sum of squares around its mean, both whitened (Prais, Winsten 1954), one step of the level explains: a
// share from 0 to 1. The likelihood ratio of the step is -n ln(1 - share) where the noise is normal.
struct Step {
  std::size_t at = 0;  // the first value of the new level; 0: no place was allowed
  double share = 0;
  double score = 0;  // the share by which it won its place; see StepPlaces
};

// Where a step is looked for. What lies behind an old step says so more clearly than what lies behind a new one ever can; so an old
// one may be asked for more, and the evidence that chance needs for a false alarm rises everywhere but where it is missed most.
struct StepPlaces {
  std::size_t least_before = 1, least_after = 1;
  std::size_t recent = 0;  // with at most this many values behind it
  double handicap = 0;     // of the others, in units of -2 ln of the likelihood ratio
};

// Looks at every place of one series. Keeps its memory from one series to the next. One thread.
class StepScan {
 public:
  Step best(const StandardSeries& series, const StepPlaces& places);
  // The share of every place from 1 on of the series that best() was given last; index 0 is 0.
  std::span<const double> shares() const { return shares_; }
  // The sum of squares of that series around its mean, both whitened.
  double squares() const { return squares_; }
  // The share that a straight line explains of that series.
  double share_of_line(const StandardSeries& series) const;

 private:
  std::vector<double> whitened_;
  std::vector<double> constant_;  // what a level of 1 becomes
  std::vector<double> units_;     // what a level of 1 is in units of each value's noise
  std::vector<double> shares_;
  double level_ = 0;    // constant · whitened
  double weight_ = 0;   // constant · constant
  double squares_ = 0;  // of whitened_, around its mean
};

}  // namespace fuselab
