// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>

#include "core/measure/timing.h"

namespace fuselab {

struct PlanResult;

// The overhead that a device's timer adds to each sample and its resolution, measured where the samples were: the median of many
// empty timings, and the least difference between two unequal ones of them.
struct TimerCost {
  TimingSource source = TimingSource::kHostWall;
  Nanoseconds overhead;    // time between two readings with nothing between them
  Nanoseconds resolution;  // 0: all empty timings were equal
  int timings = 0;         // number of timings behind both figures; 0: unknown
  std::string unknown;     // why the cost is unknown, where it was asked for
};

// A sufficient number of empty timings: their median repeats, and a clock that ticks shows two ticks among them.
inline constexpr int kTimingsOfNothing = 301;

// Returns the cost that these timings show; unknown when there are none, when they come from different clocks or when one is no
// valid duration.
TimerCost timer_cost(std::span<const Timing> timings_of_nothing);

// A sample that lasts this many times as long as its timer's overhead and resolution is not visibly changed by either: nanobench
// and others ask the same of their clock's resolution (0.1 %).
inline constexpr double kEnoughTimes = 1000;

// Returns a sample's length in units of the larger of overhead and resolution; 0: unknown.
double times_the_timer(const TimerCost& timer, Nanoseconds sample);

// Returns a complaint about a plan whose samples are too short for their timer: "a sample of 4.1 µs is 160 times its timer's 25.6
// ns"; empty when they are long enough or the cost is not known. A sample is all its repetitions together.
std::string too_short_for_timer(const TimerCost& timer, const PlanResult& result);

// Returns the cost as text: "25.0 ns overhead (host-wall clock, resolution 1.00 ns, 301 empty timings)"; "unknown: …".
std::string timer_text(const TimerCost& timer);

}  // namespace fuselab
