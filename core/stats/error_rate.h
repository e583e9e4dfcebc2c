// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "core/stats/statistics.h"

namespace fuselab {

// How often something happened, and what can be said of how often it does.
struct ErrorRate {
  std::int64_t events = 0;
  std::int64_t trials = 0;
  double share() const { return trials > 0 ? static_cast<double>(events) / static_cast<double>(trials) : 0; }
  // Not exceeded by the true rate with this probability, whatever the rate (Clopper and Pearson, Biometrika 26, 1934). 1 without
  // trials, or of counts that cannot be (a stranger's file).
  double upper_bound(double confidence = 0.95) const;
  double lower_bound(double confidence = 0.95) const;  // 0 without trials
};

}  // namespace fuselab
