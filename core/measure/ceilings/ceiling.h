// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "core/base/units.h"
#include "core/cost/cost.h"
#include "core/kernel/drawback.h"

namespace fuselab {

// One measured limit of a device: GB/s of a stream mix at a working-set size, or FLOP/s.
struct Ceiling {
  std::string kind;  // "stream", "flops" (in f32), "flops-f64", or "flops-half" (products of f16 or bf16)
  int read_streams = 1;
  int write_streams = 1;
  bool nontemporal = false;
  Bytes footprint;  // working set that the figure belongs to
  int threads = 1;
  // Bytes or FLOPs per second: the ninth decile of the samples, which a device reaches when nothing else disturbs it. (STREAM
  // reports the best of ten; a median would be no ceiling on a shared machine.)
  double per_second = 0;
  double low = 0, high = 0;  // the median and the best sample
  std::string form = {};     // the way in which the kernel does it, as the fastest of several; empty: not known, or only one

  bool operator==(const Ceiling&) const = default;
};

// The ceilings of one device in one environment, measured with the same clock policy as the trials.
struct CeilingTable {
  std::vector<Ceiling> rows;

  // Returns the best bandwidth of exactly this mix of streams at exactly this footprint, over store kinds and threads; 0 when it
  // was not measured. Figures are compared with this one, since another size may lie in another cache.
  double bandwidth_of_class(int read_streams, int write_streams, Bytes footprint) const;
  // Returns the bandwidth of the row with the nearest mix and footprint, however far away, for estimates; 0 when nothing was
  // measured.
  double nearest_bandwidth(int read_streams, int write_streams, Bytes footprint) const;
  bool contains(const Ceiling& row) const;
  // Returns the row of exactly this mix, footprint and number of threads with the highest rate that a kernel reached, or
  // null. Of arithmetic (`kind` "flops") mix and footprint are 0.
  const Ceiling* best_of(const std::string& kind, int read_streams, int write_streams, Bytes footprint, int threads) const;
  // 0 when it was not measured. Where units for products of 8-bit or 16-bit numbers may exist and were not measured, the rate of
  // kI8, kF16 and kBF16 is infinite. Memory alone bounds those of 8 bits; of the others see speed_of_light().
  double peak_flops(DType arithmetic = DType::kF32) const;
};

// Returns the type that a graph's arithmetic is done in, as far as its rate differs: i8 where all its products are of 8-bit numbers
// as they lie, bf16 where all are of half types, f64 where there is any, else f32.
DType arithmetic_of(const Graph& graph);
// Returns the kind of the ceiling for it; empty: none is measured.
std::string arithmetic_kind(DType arithmetic);

// Returns the size class at which a footprint's ceiling is measured: the half octave at or below it, in whole pages, between 4 KiB
// and 256 MiB. It is not rounded up: beyond the edge of a cache the figure would be no ceiling for a footprint that still fits.
Bytes footprint_class(Bytes footprint);

struct SpeedOfLight {
  Nanoseconds ideal;  // max(ideal bytes / bandwidth, flops / peak); 0: not known
  double share = 0;   // ideal / measured; mistrusted above kMistrustedShare
  bool memory_bound = true;
};
// Returns the cost of what a plan computes at least. Winograd's F(4×4, 3×3) multiplies 36 times where a direct sum does 144 times;
// what its transforms add is left out, since a bound must not be too high.
Cost least_cost(Cost cost, Drawbacks stated);

inline constexpr double kMistrustedShare = 1.03;
// Compares a measured time with the ceilings. The bandwidth is that of the mix at the class of the working set (the bytes that the
// runs move among: the cost's own, or those of all sets of buffers in rotation), whatever else was measured; without it the result
// is unknown. So it is where products of half types may take longer and their rate was not measured. A piece that was measured has
// it: Calibration::cover() asks for the same class.
SpeedOfLight speed_of_light(const Cost& cost, Bytes working_set, int read_streams, int write_streams, const CeilingTable& ceilings,
                            Nanoseconds measured, DType arithmetic = DType::kF32);

}  // namespace fuselab
