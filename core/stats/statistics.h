// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace fuselab {

struct Interval {
  double low = 0;
  double high = 0;
};

// The summary of one series: median with a distribution-free interval from order statistics (binomial, ≥ `confidence` coverage; the
// range for fewer than 6 samples).
struct Summary {
  std::int64_t count = 0;
  double median = 0;
  Interval interval;
  double minimum = 0;
  double maximum = 0;
  double mean = 0;
  double standard_deviation = 0;
  double p90 = 0, p95 = 0, p99 = 0;
};
Summary summarize(std::span<const double> samples, double confidence = 0.95);

// The ratio of medians a/b with a bootstrap interval: over pairs when both series come from one interleaved block (same length,
// pairs in run order), else over independent resamples. Seeded: same samples, same interval.
struct Ratio {
  double value = 1;
  Interval interval;
  bool excludes_one() const { return interval.low > 1 || interval.high < 1; }
};
Ratio ratio_of(std::span<const double> a, std::span<const double> b, bool paired, double confidence = 0.95);

}  // namespace fuselab
