// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>

#include "core/measure/protocol.h"
#include "core/stats/statistics.h"

namespace fuselab {

// The median of one plan is measured until it is known well enough: its series is examined when it has kFirstLook samples and each
// time it has doubled, at most three times more. The intervals of all these looks hold together with 95 %, whichever is the last
// one: the first may miss in 3.5 % (order statistics of 15 samples come no closer to 5 %), each of the others in 0.4 %, and these
// sum up (Bonferroni; the looks are group-sequential in the sense of Pocock 1977).
inline constexpr int kFirstLook = 15;
inline constexpr int kMostLooked = 8 * kFirstLook;

// Returns the median and its interval for a series of any length; a series that was never looked at has a plain 95 % interval.
Summary summarize_series(std::span<const double> samples);

// Returns true when half the interval is at most this share of the median.
bool is_precise(std::span<const double> samples, double precision);

// Returns how many samples to have at the next look after `samples`; `samples` itself when no more are needed. Fewer than
// kFirstLook are not looked at.
int next_look(int samples, const Protocol& protocol);

}  // namespace fuselab
