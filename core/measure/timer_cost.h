// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>

#include "core/measure/timing.h"

namespace fuselab {

struct PlanResult;

// What a device's timer adds to each sample and how finely it tells time, measured where the samples were: the median of many
// timings of nothing, and the least difference between two unequal ones of them.
struct TimerCost {
  TimingSource source = TimingSource::kHostWall;
  Nanoseconds overhead;    // of two readings, nothing between them
  Nanoseconds resolution;  // 0: all timings of nothing were the same
  int timings = 0;         // that both are from; 0: unknown
  std::string unknown;     // why, where somebody asked
};

// How many timings of nothing are enough: their median repeats, and a clock that ticks shows two ticks among them.
inline constexpr int kTimingsOfNothing = 301;

// The cost that these timings show; unknown where there are none, or of clocks that are not one.
TimerCost timer_cost(std::span<const Timing> timings_of_nothing);

// A sample that lasts this many times as long as its timer's overhead and resolution is not changed by either as far as anybody
// could see: what nanobench and others ask of their clock's resolution (0.1 %).
inline constexpr double kEnoughTimes = 1000;

// A sample's length in units of the larger of overhead and resolution; 0: unknown.
double times_the_timer(const TimerCost& timer, Nanoseconds sample);

// Of a plan whose samples are too short for their timer: "a sample of 4.1 µs is 160 times its timer's 25.6 ns". Empty: long enough,
// or not known. A sample is all its repetitions together.
std::string too_short_for_timer(const TimerCost& timer, const PlanResult& result);

// "25.0 ns by host-wall, told to 1.00 ns (301 timings of nothing)"; "unknown: …".
std::string timer_text(const TimerCost& timer);

}  // namespace fuselab
