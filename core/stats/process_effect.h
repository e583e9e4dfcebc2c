// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <vector>

#include "core/base/result.h"

namespace fuselab {

// The samples of one process that measured two variants, interleaved: nanoseconds per run, in run order. Round i timed both, and
// rounds 2i and 2i+1 in opposite orders (ABBA or BAAB).
struct PairedSamples {
  std::vector<double> baseline;
  std::vector<double> candidate;
};

// The variance of a median of n normal values is this times that of their mean: pi/2 (Kenney and Keeping, Mathematics of
// Statistics, 1962; for large n).
inline constexpr double kMedianVariance = 1.5707963267948966;

// The slowdown of the candidate in one process, as a logarithm of the ratio of times: > 0 is slower.
struct ProcessEffect {
  double log_ratio = 0;      // the median over pairs of rounds, which a stalled sample does not move
  double pair_variance = 0;  // variance of one pair's log-ratio, from the median distance to the median
  int pairs = 0;
  // An estimate of the variance of half the process around its whole, less the part that the pairs explain; may be negative, so
  // that its mean over processes is right. 0 below four pairs.
  double block_variance = 0;
  double variance() const { return kMedianVariance * pair_variance / pairs; }  // variance of the median
};

// The least number of pairs of rounds whose median is used.
inline constexpr int kLeastPairs = 2;

// Fails with kCorrupt for samples that no clock gives: NaN, infinite, not above zero, sides of different lengths, too few.
Result<ProcessEffect> effect_of(const PairedSamples& samples);

}  // namespace fuselab
