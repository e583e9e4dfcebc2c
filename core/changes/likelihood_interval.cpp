// SPDX-License-Identifier: Apache-2.0
#include "core/changes/likelihood_interval.h"

#include <cmath>

namespace fuselab {

double critical_likelihood_ratio(double confidence) {
  return -2 * std::log1p(-std::sqrt(confidence));
}

}  // namespace fuselab
