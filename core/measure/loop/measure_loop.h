// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <stop_token>
#include <vector>

#include "core/base/result.h"
#include "core/measure/protocol.h"
#include "core/measure/timing.h"

namespace fuselab {

// The operations that the loop needs of a device; the caller supplies them. They are called from the loop's thread only.
struct MeasureCalls {
  // Runs plan `index` `repetitions` times back to back and times the whole. An Error ends this plan, not the others.
  std::function<Result<Timing>(int index, int repetitions)> time;
  // Evicts what the next run would find in caches. Required in cold mode, where it runs before every sample; unused in the others.
  std::function<Status(int index)> flush;
  // Returns the least number of repetitions, not below the given one, that time() accepts. When it is empty, any number is
  // accepted.
  std::function<int(int index, int repetitions)> fitting;
  // Called before the first round and after each; never inside a timing. May be empty.
  std::function<void()> between_rounds;
};

// The way in which the loop ended one plan.
enum class SeriesEnd {
  kComplete,   // at least as many samples as the protocol asks for
  kBudget,     // fewer, but at least kMinimumSamples: its time was spent
  kDropped,    // too slow beside the block's best to continue
  kFailed,     // a run gave an Error
  kCancelled,  // stopped before it had enough
};

// The samples of one plan: nanoseconds per run, in run order.
struct SampleSeries {
  SeriesEnd end = SeriesEnd::kCancelled;
  std::vector<double> samples;
  int warmup_runs = 0;
  int inner_repetitions = 1;
  TimingSource source = TimingSource::kHostWall;
  Nanoseconds spent;           // kernel time in all, warm-up included
  std::optional<Error> error;  // set when kFailed
  double fastest = 0;          // fastest of its timed runs with these repetitions, warm-up included; 0: none
  double slowdown = 1;         // when kDropped: its fastest run as a multiple of the best plan's
};

inline constexpr int kMinimumSamples = 5;
// Plans are dropped by their fastest runs, since other load only ever adds time.
inline constexpr int kDropAfter = 3;    // rounds
inline constexpr double kHopeless = 4;  // × drop_factor: dropped before that
inline constexpr int kLeastRuns = 3;    // timed runs, warm-up included, before any plan is dropped

// Measures plans 0 … count−1 together. Each is warmed up until two runs in a row differ by < 5 %, its inner repetitions raised
// until a sample lasts protocol.min_sample; then all are sampled in rounds, in seeded orders that are balanced over the rounds
// (RoundOrder), so that drift and the plan that ran before affect every plan alike and samples pair up by round. Where a median is
// not known to protocol.precision by then there are more rounds, for all plans (series_looks.h), while a quarter of each budget
// lasts. The function has no clock, no device and no randomness but the seed.
std::vector<SampleSeries> measure_interleaved(int count, const Protocol& protocol, const MeasureCalls& calls, std::stop_token stop);

}  // namespace fuselab
