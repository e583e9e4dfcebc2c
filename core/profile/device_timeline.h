// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/fields/fields.h"

// What a device's profiler records over time, whatever the vendor: spans on the device's clock, counters as series, and samples of
// the program counter. Each without data has its reason.
namespace fuselab {

// One thing that a device did, or the host for it.
struct DeviceSpan {
  std::string kind;     // "kernel", "copy", "memset", "launch" (the host's call), "overhead" (the profiler's or the driver's own)
  std::string label;    // the kernel's name, or what was copied where
  int run = -1;         // of the plan, from 0; -1: not known
  int step = -1;        // the launch of the plan that caused it
  double start_ns = 0;  // since DeviceTrace::origin_ns
  double duration_ns = 0;
  std::int64_t stream = 0;
  std::vector<int> grid, block;                                   // of a kernel: x, y, z
  int registers = 0;                                              // of a thread
  std::int64_t static_shared = 0, dynamic_shared = 0, local = 0;  // bytes of a block, of a block, of a thread
  std::int64_t bytes = 0;                                         // copied or set

  // On the device itself.
  bool is_work() const { return kind == "kernel" || kind == "copy" || kind == "memset"; }
};

constexpr auto fields_of(const DeviceSpan*) {
  using fields::field;
  using S = DeviceSpan;
  return fields::list<S>(field("kind", &S::kind), field("label", &S::label), field("run", &S::run), field("step", &S::step),
                         field("start_ns", &S::start_ns), field("duration_ns", &S::duration_ns), field("stream", &S::stream),
                         field("grid", &S::grid), field("block", &S::block), field("registers", &S::registers),
                         field("static_shared", &S::static_shared), field("dynamic_shared", &S::dynamic_shared),
                         field("local", &S::local), field("bytes", &S::bytes));
}

// A few runs of a plan on the device's own timeline.
struct DeviceTrace {
  std::string profiler;           // "CUPTI 13.0.1, activity records"; empty where nothing was recorded
  int runs = 0;                   // of the plan
  double plain_ns = 0;            // of a run before any was recorded
  double origin_ns = 0;           // of the host's monotonic clock, where the spans' time begins
  std::vector<DeviceSpan> spans;  // in the order of starts
  std::int64_t dropped = 0;       // records that the profiler had no room for
  std::int64_t untimed = 0;       // records without a time, which are no spans
  std::string why_not;
};

constexpr auto fields_of(const DeviceTrace*) {
  using fields::field;
  using T = DeviceTrace;
  return fields::list<T>(field("profiler", &T::profiler), field("runs", &T::runs), field("plain_ns", &T::plain_ns),
                         field("origin_ns", &T::origin_ns), field("spans", &T::spans), field("dropped", &T::dropped),
                         field("untimed", &T::untimed), field("why_not", &T::why_not));
}

// One metric over the time of a launch. Without values there is a reason.
struct SeriesRow {
  std::string name;  // of the vocabulary
  std::string source;
  std::vector<double> values;  // one for each interval
  std::string reason;
};

constexpr auto fields_of(const SeriesRow*) {
  using fields::field;
  return fields::list<SeriesRow>(field("name", &SeriesRow::name), field("source", &SeriesRow::source),
                                 field("values", &SeriesRow::values), field("reason", &SeriesRow::reason));
}

// Counters over the time of runs of a plan: what one pass counts.
struct DeviceSeries {
  std::string profiler;
  int runs = 0;                   // of the plan, back to back
  double interval_ns = 0;         // between samples, as asked for
  std::vector<double> starts_ns;  // of the intervals, since the first
  std::vector<SeriesRow> rows;
  bool overflowed = false;  // the device's buffer was full: what came later is missing
  std::string why_not;
};

constexpr auto fields_of(const DeviceSeries*) {
  using fields::field;
  using S = DeviceSeries;
  return fields::list<S>(field("profiler", &S::profiler), field("runs", &S::runs), field("interval_ns", &S::interval_ns),
                         field("starts_ns", &S::starts_ns), field("rows", &S::rows), field("overflowed", &S::overflowed),
                         field("why_not", &S::why_not));
}

struct StallCount {
  std::string stall;  // why the warp did not issue, as the vendor calls it: "long_scoreboard"
  std::int64_t samples = 0;
};

constexpr auto fields_of(const StallCount*) {
  using fields::field;
  return fields::list<StallCount>(field("stall", &StallCount::stall), field("samples", &StallCount::samples));
}

// The samples at one instruction.
struct SampledPlace {
  int step = -1;                   // of the plan; -1: code of none of its kernels
  std::string function;            // in its binary
  std::int64_t address = 0;        // in the function
  int line = 0;                    // of the source; 0: not known
  std::vector<StallCount> stalls;  // the most frequent first

  std::int64_t samples() const {
    std::int64_t sum = 0;
    for (const StallCount& each : stalls) sum += each.samples;
    return sum;
  }
};

constexpr auto fields_of(const SampledPlace*) {
  using fields::field;
  using P = SampledPlace;
  return fields::list<P>(field("step", &P::step), field("function", &P::function), field("address", &P::address),
                         field("line", &P::line), field("stalls", &P::stalls));
}

// Where the warps of a plan's kernels were, and what they waited for.
struct DeviceSamples {
  std::string profiler;
  int runs = 0;
  int period_cycles = 0;  // of a multiprocessor between samples
  std::int64_t samples = 0, dropped = 0;
  std::vector<SampledPlace> places;  // the most samples first
  std::string why_not;
  bool overflowed = false;  // the device's buffer was full: what came then is missing
};

constexpr auto fields_of(const DeviceSamples*) {
  using fields::field;
  using S = DeviceSamples;
  return fields::list<S>(field("profiler", &S::profiler), field("runs", &S::runs), field("period_cycles", &S::period_cycles),
                         field("samples", &S::samples), field("dropped", &S::dropped), field("places", &S::places),
                         field("why_not", &S::why_not), field("overflowed", &S::overflowed));
}

// What one step of the plan did in a trace: the spans of one name, of all runs.
struct TracedStep {
  int step = -1;
  DeviceSpan example;  // the first of them
  int seen = 0;
  double least_ns = 0, median_ns = 0, most_ns = 0;
  double gap_ns = 0;  // median of the time in which the device did nothing before it; 0 where only the first of all was seen
};
// Returns them in the order in which the steps first ran; work of no known step comes where it was first seen.
std::vector<TracedStep> traced_steps(const DeviceTrace& trace);

// How much of the time between the first and the last span the device worked.
struct TracedShare {
  double busy_ns = 0, idle_ns = 0;
  double longest_gap_ns = 0;
  double overhead_ns = 0;  // spans of overhead, wherever they lie
};
TracedShare traced_share(const DeviceTrace& trace);

}  // namespace fuselab
