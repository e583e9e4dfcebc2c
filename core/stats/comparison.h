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
  kEquivalent,    // within the margin
  kInconclusive,  // the budget ended before any of these could be said
};
std::string_view name_of(Verdict verdict);
Result<Verdict> parse_verdict(std::string_view name);

// The settings that decide when a comparison of two variants has seen enough. Times are kernel time.
struct ComparisonRule {
  double margin = 0.01;  // share of the baseline's time up to which changes do not matter
  double alpha = 0.01;   // the chance that the interval ever misses the true ratio
  int least_processes = 5;
  int most_processes = 40;
  int first_rounds = 20;  // in each of the first least_processes processes, unless the difference is plain by then; even
  // A kernel so slow that least_processes take longer than this still runs in that many.
  Nanoseconds budget{2'000'000'000};
  // The cost of a process beside its rounds (starting, loading, verifying), in rounds. It decides how many rounds each process
  // runs.
  double process_cost = 20;
};

// The result of comparing a candidate with its baseline. Ratios are times of the candidate over the baseline's.
struct ComparisonResult {
  Verdict verdict = Verdict::kInconclusive;
  double ratio = 1;
  // Contains the true ratio with probability 1 - alpha, however often it was looked at. This is exact for normal effects of equal
  // variance, which those of processes with different numbers of rounds nearly are.
  Interval interval;
  // The least slowdown (ratio - 1) that as many processes with this scatter would call a regression 19 times in 20; infinite while
  // there are too few processes.
  double minimum_detectable = std::numeric_limits<double>::infinity();
  double p_regressed =
      1;                  // chance of evidence as strong as seen since a verdict was due, were it slower by no more than the margin
  double p_improved = 1;  // the same for a kernel that is faster
  int processes = 0;
  int pairs = 0;                 // pairs of rounds, over all processes
  double within_deviation = 0;   // deviation of one pair's log-ratio around its process's
  double block_deviation = 0;    // deviation of the halves of a process, less the part that their pairs explain
  double between_deviation = 0;  // deviation of processes, less the part that their pairs explain; includes that of halves
  Nanoseconds spent;             // kernel time of both sides
};

// The shares of the variance of one process's ratio; their sum is 1.
struct VarianceShares {
  double within_block = 0;       // from pair to pair of rounds
  double between_blocks = 0;     // from one half of a process to the other
  double between_processes = 0;  // from process to process
};
// Returns nothing where no scatter was seen, and for a historical comparison, which has no pairs.
std::optional<VarianceShares> variance_shares(const ComparisonResult& result);

// Returns the slowdown that a comparison is expected to call 19 times in 20 within its budget, for a kernel that scatters as the
// one of `pilot` did. `pilot` compared it with itself; its spent time and pairs give the time of a pair. Infinite where the pilot
// is too short.
double expected_detectable(const ComparisonRule& rule, const ComparisonResult& pilot);

// A sequential comparison. The caller asks how many rounds the next fresh process is to measure and tells what it measured, until
// enough is known. The result depends only on what was told, in that order: stored samples give the same verdict again, bit for
// bit. Each process counts as one number, because the two sides differ from process to process (allocation, layout) however long
// one runs. Deciding takes negligible time. Used by one thread.
class Comparison {
 public:
  explicit Comparison(ComparisonRule rule) : rule_(rule) {}

  // Returns the rounds for the next process (even); nothing when the comparison is decided or the budget has ended.
  std::optional<int> next_rounds() const;
  // Adds the samples of one process.
  // Fails with kCorrupt for samples that no clock gives; the comparison is then unchanged.
  Status tell(const PairedSamples& samples, Nanoseconds spent);
  ComparisonResult result() const;

 private:
  std::optional<Verdict> decided() const;
  bool exhausted() const;
  double between_variance() const;
  int worthwhile_rounds() const;

  ComparisonRule rule_;
  AnytimeMean effects_;
  double variances_ = 0;        // sum over processes of the variances of their medians
  double pair_variances_ = 0;   // sum over processes of the variance of one pair
  double block_variances_ = 0;  // sum over processes; of those with too few pairs 0
  int pairs_ = 0;
  double strongest_regressed_ = 0, strongest_improved_ = 0;  // log evidence beyond the margins, the largest so far
  Nanoseconds spent_;
};

}  // namespace fuselab
