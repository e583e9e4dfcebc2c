// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "core/stats/process_effect.h"

namespace fuselab::engine {

// The unit that all samples of one process are whole numbers of, in tenths of a nanosecond: a thousandth of the faster side's
// median in two digits, at least 1. That is finer than rounds repeat (0.3 to 3 % on two shared cores); what is finer still would be
// noise that every record pays for. 0 where a sample is not finite or there is none: such samples stay as they are.
struct SampleGrid {
  std::int64_t tenths = 0;

  static SampleGrid of(const PairedSamples& samples);
  double steps(double nanoseconds) const;  // the nearest whole number of units
  double nanoseconds(double steps) const;  // the same bits for the same steps anywhere
  PairedSamples rounded(PairedSamples samples) const;
};

}  // namespace fuselab::engine
