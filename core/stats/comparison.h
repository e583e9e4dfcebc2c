// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <limits>
#include <optional>
#include <string_view>
#include <vector>

#include "core/base/units.h"
#include "core/stats/anytime_mean.h"
#include "core/stats/process_effect.h"

namespace fuselab {

enum class Verdict {
  kSame,          // the very same kernel: nothing to measure
  kRegressed,     // slower by more than the margin
  kImproved,      // faster by more than the margin
  kEquivalent,    // neither
  kInconclusive,  // the budget ended before any of these could be said
};
std::string_view name_of(Verdict verdict);
Result<Verdict> parse_verdict(std::string_view name);

// When a comparison of two variants has seen enough. Times are kernel time.
struct ComparisonRule {
  double margin = 0.01;  // of the baseline's time: changes up to it do not matter
  double alpha = 0.01;   // the chance that the interval ever misses the true ratio
  int least_processes = 5;
  int most_processes = 40;
  int first_rounds = 20;  // in each of the first least_processes processes, unless the difference is plain by then; even
  // A kernel so slow that least_processes take longer runs in as many all the same.
  Nanoseconds budget{2'000'000'000};
  // What a process costs beside its rounds (starting, loading, verifying), in rounds: decides how many rounds each is worth.
  double process_cost = 20;
};

// What is said of a candidate beside its baseline. Ratios are times of the candidate over the baseline's.
struct ComparisonResult {
  Verdict verdict = Verdict::kInconclusive;
  double ratio = 1;
  // Holds the true ratio with probability 1 - alpha, however often it was looked at; exactly so for normal effects of equal
  // variance, which those of processes with different numbers of rounds nearly are.
  Interval interval;
  // The least slowdown (ratio - 1) that as many processes with this scatter would call a regression 19 times in 20; infinite
  // while there are too few.
  double minimum_detectable = std::numeric_limits<double>::infinity();
  double p_regressed =
      1;                  // chance of evidence as strong as seen since a verdict was due, were it slower by no more than the margin
  double p_improved = 1;  // the same for faster
  int processes = 0;
  int pairs = 0;                 // of rounds, in all
  double within_deviation = 0;   // of one pair's log-ratio around its process's
  double between_deviation = 0;  // of processes, less what their pairs explain
  Nanoseconds spent;             // kernel time of both sides
};

// A sequential comparison: ask how many rounds the next fresh process is to measure, tell what it measured, until it has seen
// enough. A function of what it was told alone, in that order: stored samples give the same verdict again, bit for bit. What counts
// is one number per process, because the two sides differ from process to process (allocation, layout) however long one runs.
// Deciding costs nothing worth timing. One thread.
class Comparison {
 public:
  explicit Comparison(ComparisonRule rule) : rule_(rule) {}

  // Rounds for the next process (even); nothing when it is decided or the budget has ended.
  std::optional<int> next_rounds() const;
  // kCorrupt leaves the comparison as it was.
  Status tell(const PairedSamples& samples, Nanoseconds spent);
  ComparisonResult result() const;

 private:
  std::optional<Verdict> decided() const;
  bool exhausted() const;
  double between_variance() const;
  int worthwhile_rounds() const;

  ComparisonRule rule_;
  AnytimeMean effects_;
  double variances_ = 0;       // sum over processes of their medians' variances
  double pair_variances_ = 0;  // sum over processes of the variance of one pair
  int pairs_ = 0;
  double strongest_regressed_ = 0, strongest_improved_ = 0;  // log evidence beyond the margins, the most so far
  Nanoseconds spent_;
};

}  // namespace fuselab
