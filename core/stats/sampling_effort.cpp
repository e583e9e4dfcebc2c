// SPDX-License-Identifier: Apache-2.0
#include "core/stats/sampling_effort.h"

#include <cmath>
#include <limits>

namespace fuselab {

double best_samples_per_process(double process_cost, double within_variance, double between_variance) {
  if (!(between_variance > 0)) return std::numeric_limits<double>::infinity();
  return std::sqrt(process_cost * within_variance / between_variance);
}

}  // namespace fuselab
