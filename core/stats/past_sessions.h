// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <vector>

#include "core/base/result.h"
#include "core/stats/comparison.h"

// Compares a kernel with earlier measurements of another kernel that is not run again. Whatever changed on the machine in between
// affects the ratio but no sample of either side. Only several earlier sessions can tell how large that effect is.
namespace fuselab {

// The samples of fresh processes that measured one kernel close together in time: nanoseconds per run, by process.
using SessionSamples = std::vector<std::vector<double>>;

// The least number of processes of a session: with fewer their scatter would not be known.
inline constexpr int kSessionProcesses = 10;

struct PastRule {
  double margin = 0.01;  // share of the earlier time up to which changes do not matter
  double alpha = 0.01;   // chance that the interval misses the change
};

// Compares a session with earlier ones. A session's level is the mean, over its processes, of the logarithm of a process's median.
// With S earlier sessions whose levels have the mean m and the standard deviation s, the level of one more session of an unchanged
// kernel lies in
//   m ± t(S-1, 1-alpha/2) s sqrt(1 + 1/S)
// (the prediction interval of normal values: Hahn, Meeker, Statistical Intervals, 1991, section 4.7), so the change of the kernel
// lies within the same distance of the new level less m. s is not taken smaller than the scatter of processes explains, and a new
// session of fewer processes than the earlier ones is given a larger scatter accordingly. The result is computed once, without
// sequential looks. With one earlier session s is not known: the interval is unbounded and the verdict inconclusive, whatever the
// ratio. Sessions of one hour do not show the scatter between days; saving sessions of different days is left to the user.
//
// In the result `processes` are the new session's, `pairs` is 0, `within_deviation` is that of processes around their session's
// level, `between_deviation` that of the earlier sessions' levels (s), and p-values are two-sided, since the direction is not
// chosen in advance.
// Fails with kInvalidArgument without an earlier session, and with kCorrupt for samples that no clock gives and for a session of
// fewer than two processes.
Result<ComparisonResult> compare_with_past(std::span<const SessionSamples> past, const SessionSamples& now, const PastRule& rule);

// Returns the level of a session: the geometric mean of its processes' medians, in ns per run. Samples must be positive.
double level_ns(const SessionSamples& engine);

}  // namespace fuselab
