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

// What the loop drives; supplied by whoever has a device. Called from the loop's thread only.
struct MeasureCalls {
  // Runs plan `index` `repetitions` times back to back and times the whole. An Error ends this plan, not the others.
  std::function<Result<Timing>(int index, int repetitions)> time;
  // Evicts what the next run would find in caches. Needed in cold mode, before every sample; unused in the others.
  std::function<Status(int index)> flush;
  // The next larger number of repetitions that time() takes; where there is none, any.
  std::function<int(int index, int repetitions)> fitting;
  // Before the first round and after each; never inside a timing. May be empty.
  std::function<void()> between_rounds;
};

// How the loop left one plan.
enum class SeriesEnd {
  kComplete,   // at least as many samples as the protocol asks for
  kBudget,     // fewer, at least kMinimumSamples: its time was spent
  kDropped,    // too slow beside the block's best to be worth more
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
  Nanoseconds spent;           // timed in all, warm-up included
  std::optional<Error> error;  // when kFailed
  double fastest = 0;          // of its timed runs with these repetitions, the warm-up's too; 0: none
  double slowdown = 1;         // its fastest beside the best's when kDropped
};

inline constexpr int kMinimumSamples = 5;
// A plan is dropped for its fastest run: load of others only ever adds.
inline constexpr int kDropAfter = 3;    // rounds
inline constexpr double kHopeless = 4;  // × drop_factor: dropped before that
inline constexpr int kLeastRuns = 3;    // timed, the warm-up's included, before any plan is dropped

// Measures plans 0 … count−1 together: each is warmed up until two runs in a row differ by < 5 %, its inner repetitions raised
// until a sample lasts protocol.min_sample, then all are sampled in rounds, in seeded orders that are balanced over the rounds
// (RoundOrder), so that drift and whoever came before hit every plan alike and samples pair up by round. Where a median is not
// known to protocol.precision by then there are more rounds, for all plans (series_looks.h), while a quarter of each budget lasts.
// Pure: no clock, no device, no randomness but the seed.
std::vector<SampleSeries> measure_interleaved(int count, const Protocol& protocol, const MeasureCalls& calls, std::stop_token stop);

}  // namespace fuselab
