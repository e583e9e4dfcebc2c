// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <vector>

#include "core/base/result.h"
#include "core/stats/comparison.h"

// A kernel held against what was measured of another at earlier times and is not run again. Whatever the machine did in between
// lies in the ratio and in no sample of either side. How much that is only several earlier sessions can tell.
namespace fuselab {

// What fresh processes measured of one kernel, close together in time: nanoseconds per run, by process.
using SessionSamples = std::vector<std::vector<double>>;

// Fewer processes than this are no session: how much they differ from one another would not be known.
inline constexpr int kSessionProcesses = 10;

struct PastRule {
  double margin = 0.01;  // of the earlier time; changes up to it do not matter
  double alpha = 0.01;   // the chance that the interval misses the change
};

// A session's level is the mean, over its processes, of the logarithm of a process's median. With S earlier sessions whose levels
// have the mean m and the standard deviation s, the level of one session more of an unchanged kernel lies in
//   m ± t(S-1, 1-alpha/2) s sqrt(1 + 1/S)
// (the prediction interval of normal values: Hahn, Meeker, Statistical Intervals, 1991, section 4.7), so the change of the kernel
// lies as far around the new level less m. s is taken no smaller than the scatter of processes explains, and a new session of
// fewer processes than the earlier ones scatters more by what they are fewer. One number is looked at once: there is no watching.
// Of one earlier session nothing is known of s: the interval is unbounded and the verdict inconclusive, whatever the ratio.
// Sessions of one hour do not show what days do; that is for whoever saves them to see to.
//
// In the result `processes` are the new session's, `pairs` is 0, `within_deviation` is that of processes around their session's
// level, `between_deviation` that of the earlier sessions' levels (s), and p-values are two-sided, since the direction is seen
// before it is asked for. kInvalidArgument without an earlier session; kCorrupt for samples that no clock gives, and for a session
// of fewer than two processes.
Result<ComparisonResult> compare_with_past(std::span<const SessionSamples> past, const SessionSamples& now, const PastRule& rule);

// Of a session: the geometric mean of its processes' medians, in ns per run. Samples must be positive.
double level_ns(const SessionSamples& engine);

}  // namespace fuselab
