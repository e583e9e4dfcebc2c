// SPDX-License-Identifier: Apache-2.0
#include "core/stats/error_rate.h"

#include <boost/math/distributions/binomial.hpp>

namespace fuselab {

using Binomial = boost::math::binomial_distribution<double>;

double ErrorRate::upper_bound(double confidence) const {
  if (trials <= 0 || events < 0 || events >= trials) return 1;
  return Binomial::find_upper_bound_on_p(static_cast<double>(trials), static_cast<double>(events), 1 - confidence);
}

double ErrorRate::lower_bound(double confidence) const {
  if (trials <= 0 || events <= 0 || events > trials) return 0;
  return Binomial::find_lower_bound_on_p(static_cast<double>(trials), static_cast<double>(events), 1 - confidence);
}

}  // namespace fuselab
