// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <span>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/measure/ceilings/ceiling.h"
#include "core/stats/statistics.h"

namespace fuselab::gpu {

// The result of one measurement of a ceiling: its summary, in amounts per second.
struct Rate {
  Summary summary;

  Ceiling row(std::string kind, int reads, int writes, bool evicts, Bytes footprint, std::size_t threads) const;
  bool operator<(const Rate& other) const { return summary.p90 < other.summary.p90; }
};

// Returns how long this many runs took.
using MeasureRuns = std::function<Result<Nanoseconds>(std::int64_t repetitions)>;

// Returns the rate of work that does `amount` per run. The `warm_ups` runs before the first sample are not included.
Result<Rate> sample_rate(double amount, double seconds, int warm_ups, const MeasureRuns& measure);

// The streams that are read and written, each of `each` bytes.
struct StreamMix {
  int reads = 0, writes = 0;
  Bytes footprint;
  std::int64_t each = 0;

  // Limits the streams to `most` of a kind, and each to a whole number of granules.
  static Result<StreamMix> create(int reads, int writes, Bytes footprint, int most, std::int64_t granule);
  bool copies() const { return reads > 0 && writes > 0; }
  double bytes() const { return static_cast<double>(each) * (reads + writes); }
};

// The memories of a mix, filled with values close to one that differ a little, and the memory of the sink. Memory::create and
// Memory::fill are the vendor's.
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

// Divides the time evenly. Where the mix copies, `copy` measures a copy by the driver; if it is faster, the best row takes its
// rate, since a ceiling must not be beaten.
Result<std::vector<Ceiling>> measure_stream_rows(const StreamMix& mix, std::span<const StreamRow> rows, double seconds,
                                                 const MeasureRate& copy);

// Measures "host-to-device" and "device-to-host" copies of this many bytes.
Result<std::vector<Ceiling>> measure_host_copies(Bytes bytes, const std::function<Result<Rate>(bool to_device)>& measure);

}  // namespace fuselab::gpu
