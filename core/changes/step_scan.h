// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace fuselab {

// A series in units of its noise: values about 0, each divided by its own standard deviation, which is in `deviations` up to a
// common factor. Neighbours are correlated as in u(i) = autocorrelation u(i-1) + e(i).
struct StandardSeries {
  std::span<const double> values;
  std::span<const double> deviations;  // as many as values, each above 0
  double autocorrelation = 0;          // from 0 to below 1
};

// The step that explains the largest share, from 0 to 1, of a series' sum of squares around its mean, both whitened (Prais, Winsten
// 1954). The likelihood ratio of the step is -n ln(1 - share) where the noise is normal.
struct Step {
  std::size_t at = 0;  // index of the first value of the new level; 0: no place was allowed
  double share = 0;
  double score = 0;  // the share by which it won its place; see StepPlaces
};

// The places where a step is looked for. An old step has more values behind it and so shows more clearly than a new one can. Old
// steps may therefore have to be clearer, which lowers the evidence that a recent step needs at the same rate of false alarms.
struct StepPlaces {
  std::size_t least_before = 1, least_after = 1;
  std::size_t recent = 0;  // a step is recent with at most this many values behind it
  double handicap = 0;     // demanded of steps that are not recent, in units of -2 ln of the likelihood ratio
};

// Looks at every place of one series. Reuses its memory from one series to the next. Used by one thread.
class StepScan {
 public:
  Step best(const StandardSeries& series, const StepPlaces& places);
  // Returns the share of every place, from 1 on, of the series last given to best(); index 0 is 0.
  std::span<const double> shares() const { return shares_; }
  // Returns the sum of squares of that series around its mean, both whitened.
  double squares() const { return squares_; }
  // Returns the share that a straight line explains of a series.
  double share_of_line(const StandardSeries& series) const;

 private:
  std::vector<double> whitened_;
  std::vector<double> constant_;  // a level of 1, whitened
  std::vector<double> units_;     // a level of 1 in units of each value's noise
  std::vector<double> shares_;
  double level_ = 0;    // constant · whitened
  double weight_ = 0;   // constant · constant
  double squares_ = 0;  // sum of squares of whitened_ around its mean
};

}  // namespace fuselab
