// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/base/units.h"
#include "core/cost/cost.h"
#include "core/stats/statistics.h"

namespace fuselab {

// What a block's ceiling kernels do: the plans' own mix of streams, working set, threads and arithmetic.
struct CeilingSpec {
  int read_streams = 0, write_streams = 0;  // both 0: no streams
  Bytes footprint;
  std::string arithmetic;  // Ceiling::kind: "flops", "flops-f64"; empty: none
  int threads = 0;         // 0: those that the device has
  // Ceiling::form of the kernels, as the calibration found them fastest; empty: the first of its kind.
  std::string stream_form, arithmetic_form;

  bool is_empty() const { return read_streams + write_streams == 0 && arithmetic.empty(); }
};

// The rates of the ceiling kernels between two rounds of a block; 0 where that kind was not asked for.
struct CeilingLook {
  int rounds = 0;  // of the plans, before it
  double bytes_per_second = 0, flops_per_second = 0;
};

// Ceilings that were timed in turns with a block's plans, so that other load and clocks touch both alike.
struct PairedCeiling {
  CeilingSpec spec;
  std::vector<CeilingLook> looks;  // in run order
  double seconds = 0;              // of the block that they took
};

struct PairedShare {
  Ratio share;  // ideal / measured, round by round; the interval is of its median (95 %), or the range of all rounds where looks
                // are few
  bool memory_bound = true;
};
// Returns which share of its ceiling a plan reached. `samples` are its times in ns, one per round; each is compared with the looks
// before and after its round. Nothing where what bounds the plan was not timed.
std::optional<PairedShare> paired_share(const Cost& cost, const std::vector<double>& samples, const PairedCeiling& ceiling);

}  // namespace fuselab
