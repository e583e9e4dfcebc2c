// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "core/base/units.h"
#include "core/ops/cost.h"

namespace fuselab {

// One measured limit of a device: GB/s of a stream mix at a working-set size, or FLOP/s.
struct Ceiling {
  std::string kind;  // "stream", "flops" (in f32) or "flops-f64"
  int read_streams = 1;
  int write_streams = 1;
  bool nontemporal = false;
  Bytes footprint;  // working set the figure belongs to
  int threads = 1;
  // Bytes or FLOPs: the ninth decile of the samples, what the device does when nobody else is in the way. (STREAM reports the best
  // of ten; a median would be no ceiling on a shared machine.)
  double per_second = 0;
  double low = 0, high = 0;  // the median and the best sample
};

// The ceilings of one device in one environment, measured with the same clock policy as the trials.
struct CeilingTable {
  std::vector<Ceiling> rows;

  // The best bandwidth of exactly this mix of streams at exactly this footprint, over store kinds and threads; 0 when that was not
  // measured. What figures are held against: another size may lie in another cache.
  double bandwidth_of_class(int read_streams, int write_streams, Bytes footprint) const;
  // For estimates: the same of the row with the nearest mix and footprint, however far that is; 0 when nothing was measured.
  double nearest_bandwidth(int read_streams, int write_streams, Bytes footprint) const;
  double peak_flops(DType arithmetic = DType::kF32) const;  // 0 when it was not measured
};

// The type a graph's arithmetic is done in, as far as its rate differs: f64 where there is any, else f32 (which half types compute
// in, too).
DType arithmetic_of(const Graph& graph);

// The size class a footprint's ceiling is measured at: the half octave at or below it, in whole pages, between 4 KiB and 256 MiB.
// Below and not beside it: rounded up over the edge of a cache, the figure would be no ceiling for what still fits.
Bytes footprint_class(Bytes footprint);

struct SpeedOfLight {
  Nanoseconds ideal;  // max(ideal bytes / bandwidth, flops / peak); 0: not known
  double share = 0;   // ideal / measured; > kMistrustedShare is mistrusted
  bool memory_bound = true;
};
inline constexpr double kMistrustedShare = 1.03;
// The bandwidth is that of the mix at the class of the working set (what the runs move among: the cost's own bytes, or those of
// all sets of buffers in rotation), whatever else was measured; nothing is known without it. A piece that was measured has it:
// Calibration::cover() asks for the same class.
SpeedOfLight speed_of_light(const Cost& cost, Bytes working_set, int read_streams, int write_streams, const CeilingTable& ceilings,
                            Nanoseconds measured, DType arithmetic = DType::kF32);

}  // namespace fuselab
