// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <span>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/measure/ceiling.h"
#include "core/stats/statistics.h"

namespace fuselab::gpu {

// What one measurement of a ceiling gave: its summary, in amounts per second.
struct Rate {
  Summary summary;

  Ceiling row(std::string kind, int reads, int writes, bool evicts, Bytes footprint, std::size_t threads) const;
  bool operator<(const Rate& other) const { return summary.p90 < other.summary.p90; }
};

// How long so many runs of it took.
using MeasureRuns = std::function<Result<Nanoseconds>(std::int64_t repetitions)>;

// The rate of work that does `amount` per run. Runs before the first sample are not part of it: `warm_ups` of them.
Result<Rate> sample_rate(double amount, double seconds, int warm_ups, const MeasureRuns& measure);

// So many streams that are read and written, each of `each` bytes.
struct StreamMix {
  int reads = 0, writes = 0;
  Bytes footprint;
  std::int64_t each = 0;

  // At most `most` of a kind, and each a whole number of granules.
  static Result<StreamMix> create(int reads, int writes, Bytes footprint, int most, std::int64_t granule);
  bool copies() const { return reads > 0 && writes > 0; }
  double bytes() const { return static_cast<double>(each) * (reads + writes); }
};

// The memories of a mix, filled with ones that differ a little, and that of the sink. Memory::create and Memory::fill are the
// vendor's.
template <typename Memory>
struct StreamArrays {
  std::vector<Memory> arrays;
  Memory sink;

  template <typename Create>
  static Result<StreamArrays> create(const StreamMix& mix, std::int64_t sink_bytes, const Create& create) {
    FL_TRY(Memory sink, create(Bytes{sink_bytes}));
    StreamArrays streams{{}, std::move(sink)};
    for (int i = 0; i < mix.reads + mix.writes; ++i) {
      FL_TRY(Memory memory, create(Bytes{mix.each}));
      FL_TRY_VOID(memory.fill(0x3f800000U + static_cast<unsigned>(i)));
      streams.arrays.push_back(std::move(memory));
    }
    return streams;
  }
};

using MeasureRate = std::function<Result<Rate>(double seconds)>;

// A row of a mix: the best of its variants.
struct StreamRow {
  std::size_t threads = 0;
  bool evicts = false;
  std::vector<MeasureRate> variants;
};

// Shares the time out evenly. A ceiling that a copy by the driver beats is none: the best row takes the rate of `copy`, which is
// asked where the mix copies.
Result<std::vector<Ceiling>> measure_stream_rows(const StreamMix& mix, std::span<const StreamRow> rows, double seconds,
                                                 const MeasureRate& copy);

// "host-to-device" and "device-to-host", of so many bytes.
Result<std::vector<Ceiling>> measure_host_copies(Bytes bytes, const std::function<Result<Rate>(bool to_device)>& measure);

}  // namespace fuselab::gpu
