// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <vector>

#include "core/base/result.h"
#include "core/stats/comparison.h"

// Compares a kernel with earlier measurements of another kernel that is not run again. Whatever changed on the machine in between
// affects the ratio but no sample of either side. Only several earlier timing runs can tell how large that effect is.
namespace fuselab {

// The samples of fresh processes that measured one kernel close together in time: nanoseconds per run, by process.
using RunSamples = std::vector<std::vector<double>>;

// The least number of processes of a timing run: with fewer their scatter would not be known.
inline constexpr int kTimingRunProcesses = 10;

struct PastRule {
  double margin = 0.01;  // share of the earlier time up to which changes do not matter
  double alpha = 0.01;   // chance that the interval misses the change
};

// Compares a timing run with earlier ones. A timing run's level is the mean, over its processes, of the logarithm of a process's
// median. With S earlier timing runs whose levels have the mean m and the standard deviation s, the level of one more timing run of
// an unchanged kernel lies in
//   m ± t(S-1, 1-alpha/2) s sqrt(1 + 1/S)
// (the prediction interval of normal values: Hahn, Meeker, Statistical Intervals, 1991, section 4.7), so the change of the kernel
// lies within the same distance of the new level less m. s is not taken smaller than the scatter of processes explains, and a new
// timing run of fewer processes than the earlier ones is given a larger scatter accordingly. The result is computed once, without
// sequential looks. With one earlier timing run s is not known: the interval is unbounded and the verdict inconclusive, whatever
// the ratio. Timing runs of one hour do not show the scatter between days; saving timing runs of different days is left to the
// user.
//
// In the result `processes` are the new timing run's, `pairs` is 0, `within_deviation` is that of processes around their timing
// run's level, `between_deviation` that of the earlier timing runs' levels (s), and p-values are two-sided, since the direction is
// not chosen in advance. Fails with kInvalidArgument without an earlier timing run, and with kCorrupt for samples that no clock
// gives and for a timing run of fewer than two processes.
Result<ComparisonResult> compare_with_past(std::span<const RunSamples> past, const RunSamples& now, const PastRule& rule);

// Returns the level of a run: the geometric mean of its processes' medians, in ns per run of the kernel. Samples must be positive.
double level_ns(const RunSamples& run);

}  // namespace fuselab
