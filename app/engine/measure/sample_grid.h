// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "core/stats/process_effect.h"

namespace fuselab::engine {

// The unit of which all samples of one process are whole multiples, in tenths of a nanosecond: a thousandth of the faster side's
// median, rounded to two digits, at least 1. That is finer than rounds repeat (0.3 to 3 % on two shared cores); anything finer
// would be noise that enlarges every record. 0 where a sample is not finite or there are no samples: the samples then stay as they
// are.
struct SampleGrid {
  std::int64_t tenths = 0;

  static SampleGrid of(const PairedSamples& samples);
  double steps(double nanoseconds) const;  // the nearest whole number of units
  double nanoseconds(double steps) const;  // bit for bit the same for the same steps on any machine
  PairedSamples rounded(PairedSamples samples) const;
};

}  // namespace fuselab::engine
