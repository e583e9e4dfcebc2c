// SPDX-License-Identifier: Apache-2.0
#include "core/compare/deviation_bound.h"

#include <boost/math/distributions/chi_squared.hpp>
#include <cmath>

namespace fuselab {

double deviation_bound(double n) {
  double const freedom = n - 1;
  return std::sqrt(freedom / boost::math::quantile(boost::math::chi_squared_distribution<double>(freedom), 0.1));
}

}  // namespace fuselab
