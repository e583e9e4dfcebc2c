// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "core/stats/statistics.h"

namespace fuselab {

// A count of events among trials, with bounds of their true rate.
struct ErrorRate {
  std::int64_t events = 0;
  std::int64_t trials = 0;
  double share() const { return trials > 0 ? static_cast<double>(events) / static_cast<double>(trials) : 0; }
  // Returns a bound that the true rate does not exceed with this probability, whatever the rate (Clopper and Pearson, Biometrika
  // 26, 1934). Returns 1 without trials, or for impossible counts (from an untrusted file).
  double upper_bound(double confidence = 0.95) const;
  double lower_bound(double confidence = 0.95) const;  // 0 without trials
};

}  // namespace fuselab
