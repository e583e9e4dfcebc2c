// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "core/profile/metric.h"
#include "profiler/host/counter_source.h"

namespace fuselab::profile {

// Energy of the processor's packages through the kernel's powercap files, which count on and begin again at a limit.
class PackageEnergy {
 public:
  explicit PackageEnergy(CounterSource& source) : source_(source) {}
  void start();
  // Returns the energy since start(), a launch; or why there is none.
  Metric stop(int launches);

 private:
  std::optional<double> microjoules(const char* file);

  CounterSource& source_;
  std::optional<double> before_;
};

}  // namespace fuselab::profile
