// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "core/base/units.h"
#include "core/graph/cost.h"

namespace fuselab {

// One measured limit of a device: GB/s of a stream mix at a working-set size, or FLOP/s.
struct Ceiling {
  std::string kind;  // "stream" or "flops"
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

  // The best bandwidth for a mix of streams at a footprint: the row with the nearest mix and footprint, over store kinds and
  // threads; 0 when nothing was measured.
  double bandwidth(int read_streams, int write_streams, Bytes footprint) const;
  double peak_flops() const;
};

struct SpeedOfLight {
  Nanoseconds ideal;  // max(ideal bytes / bandwidth, flops / peak)
  double share = 0;   // ideal / measured; > kMistrustedShare is mistrusted
  bool memory_bound = true;
};
inline constexpr double kMistrustedShare = 1.03;
SpeedOfLight speed_of_light(const Cost& cost, int read_streams, int write_streams, const CeilingTable& ceilings,
                            Nanoseconds measured);

}  // namespace fuselab
