// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "core/stats/comparison.h"
#include "core/stats/statistics.h"

// What the gain of fusing a piece shows, in one place for the choice of a plan and for the words of every face. A gain is the time
// of the unfused plan over that of the fused one, timed in turns.
namespace fuselab {

enum class GainVerdict {
  kGains,      // the interval lies above 1
  kLoses,      // the interval lies below 1
  kSame,       // the interval lies within kSameMargin of 1: the difference does not matter
  kUndecided,  // the interval contains 1 and differences that matter
};
std::string_view name_of(GainVerdict verdict);

inline constexpr double kSameMargin = ComparisonRule().margin;

GainVerdict verdict_on(const Ratio& gain);

// Returns the chance that fusing is faster, from 0 to 1, by a normal distribution of the ratio's logarithm that has the interval:
// of 99 % certainty where it is of several `processes`, of 95 % where it is of one. An interval that may be watched is wider than
// one that may not, so that the chance is nearer to one half than what was measured deserves. Returns one half where the interval
// has no width or an end that no ratio can have.
double chance_of_gain(const Ratio& gain, int processes);

// Returns about how many fresh processes besides `processes` would decide an undecided gain, if it is what it seems: the interval
// narrows with the square root of their number, until it leaves 1 or lies within kSameMargin of it. Returns 0 for a decided gain,
// at most kMostToDecide, and kLeastToDecide where it is of one process, which says nothing about how processes differ.
int processes_to_decide(const Ratio& gain, int processes);
inline constexpr int kLeastToDecide = ComparisonRule().least_processes;
inline constexpr int kMostToDecide = 1000;

// Returns "fusing gains", "fusing loses", "fused and unfused are the same within 1 %" or "undecided, 71 % sure that fusing loses".
std::string gain_words(const Ratio& gain, int processes);
// Returns "deciding takes about 12 more processes (--decide)"; empty for a gain that is decided.
std::string deciding_words(const Ratio& gain, int processes);

}  // namespace fuselab
