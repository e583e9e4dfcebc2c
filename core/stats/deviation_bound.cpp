// SPDX-License-Identifier: Apache-2.0
#include "core/stats/deviation_bound.h"

#include <boost/math/distributions/chi_squared.hpp>
#include <cmath>

namespace fuselab {

double deviation_bound(double n) {
  const double freedom = n - 1;
  return std::sqrt(freedom / boost::math::quantile(boost::math::chi_squared_distribution<double>(freedom), 0.1));
}

}  // namespace fuselab
