// SPDX-License-Identifier: Apache-2.0
#include "backends/gpu/rates.h"

#include <algorithm>

#include "core/platform/system/clock.h"

namespace fuselab::gpu {
namespace {

constexpr std::size_t kFewestSamples = 7;
constexpr double kShortestSample = 300'000;  // ns
constexpr std::int64_t kMostRepetitions = 4096;

}  // namespace

Ceiling Rate::row(std::string kind, int reads, int writes, bool evicts, Bytes footprint, std::size_t threads) const {
  return {std::move(kind),           reads,       writes,         evicts,         footprint,
          static_cast<int>(threads), summary.p90, summary.median, summary.maximum};
}

Result<Rate> sample_rate(double amount, double seconds, int warm_ups, const MeasureRuns& measure) {
  double warm = 1e18;
  for (int i = 0; i < warm_ups; ++i) {
    FL_TRY(const Nanoseconds once, measure(1));
    warm = std::min(warm, std::max(once.count, 100.0));
  }
  const auto repetitions = std::clamp(static_cast<std::int64_t>(kShortestSample / warm), std::int64_t{1}, kMostRepetitions);
  std::vector<double> rates;
  const double until = platform::monotonic_now().count + seconds * 1e9;
  while (rates.size() < kFewestSamples || platform::monotonic_now().count < until) {
    FL_TRY(const Nanoseconds all, measure(repetitions));
    rates.push_back(amount * static_cast<double>(repetitions) / (std::max(all.count, 1.0) * 1e-9));
  }
  return Rate{summarize(rates)};
}

Result<StreamMix> StreamMix::create(int reads, int writes, Bytes footprint, int most, std::int64_t granule) {
  if (reads < 0 || writes < 0 || reads + writes == 0) return invalid_argument("a stream mix needs at least one stream");
  StreamMix mix{std::min(reads, most), std::min(writes, most), footprint};
  mix.each = std::max(granule, footprint.count / (mix.reads + mix.writes) / granule * granule);
  return mix;
}

Result<std::vector<Ceiling>> measure_stream_rows(const StreamMix& mix, std::span<const StreamRow> rows, double seconds,
                                                 const MeasureRate& copy) {
  std::size_t variants = 1;  // that of the copy
  for (const StreamRow& row : rows) variants += row.variants.size();
  const double share = seconds / static_cast<double>(variants);
  std::vector<Rate> rates;
  std::vector<Ceiling> measured;
  for (const StreamRow& row : rows) {
    Rate best;
    for (const MeasureRate& variant : row.variants) {
      FL_TRY(const Rate rate, variant(share));
      best = std::max(best, rate);
    }
    rates.push_back(best);
    measured.push_back(best.row("stream", mix.reads, mix.writes, row.evicts, mix.footprint, row.threads));
  }
  if (!mix.copies()) return measured;
  FL_TRY(const Rate copied, copy(share));
  if (rates.empty()) return std::vector<Ceiling>{copied.row("stream", mix.reads, mix.writes, false, mix.footprint, 1)};
  const auto best = static_cast<std::size_t>(std::max_element(rates.begin(), rates.end()) - rates.begin());
  if (rates[best] < copied) {
    measured[best] = copied.row("stream", mix.reads, mix.writes, rows[best].evicts, mix.footprint, rows[best].threads);
  }
  return measured;
}

Result<std::vector<Ceiling>> measure_host_copies(Bytes bytes, const std::function<Result<Rate>(bool to_device)>& measure) {
  std::vector<Ceiling> rows;
  for (const bool to_device : {true, false}) {
    FL_TRY(const Rate rate, measure(to_device));
    rows.push_back(
        rate.row(to_device ? "host-to-device" : "device-to-host", to_device ? 0 : 1, to_device ? 1 : 0, false, bytes, 1));
  }
  return rows;
}

}  // namespace fuselab::gpu
