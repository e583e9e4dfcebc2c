// SPDX-License-Identifier: Apache-2.0
#include "core/measure/loop/series_looks.h"

#include <algorithm>

namespace fuselab {
namespace {

constexpr double kFirstConfidence = 0.95;
constexpr double kLaterConfidence = 0.996;

}  // namespace

Summary summarize_series(std::span<const double> samples) {
  return summarize(samples, samples.size() <= kFirstLook ? kFirstConfidence : kLaterConfidence);
}

bool is_precise(std::span<const double> samples, double precision) {
  const Summary summary = summarize_series(samples);
  return summary.interval.high - summary.interval.low <= 2 * precision * summary.median;
}

int next_look(int samples, const Protocol& protocol) {
  // A cold sample costs an emptying of the caches, a first launch a process.
  const bool repeats = protocol.mode == CacheMode::kWarm || protocol.mode == CacheMode::kRotating;
  const int most = std::min(protocol.most_samples, kMostLooked);
  return repeats && samples >= kFirstLook && 2 * samples <= most ? 2 * samples : samples;
}

}  // namespace fuselab
