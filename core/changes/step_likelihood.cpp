// SPDX-License-Identifier: Apache-2.0
#include "core/changes/step_likelihood.h"

#include <cmath>
#include <cstddef>
#include <limits>

namespace fuselab {
namespace {

// Half as wide steps between them change no rate by more than simulation tells.
constexpr int kCorrelationSteps = 8;

// n values whose whitened sum of squares is S have -2 ln of likelihood and prior n ln(S * this), up to a constant.
double handicap_of(double correlation, double count) {
  const double distance = (correlation - kUsualCorrelation) / kCorrelationSpread;
  return std::exp((distance * distance - std::log1p(-correlation * correlation)) / count);
}

}  // namespace

StepEvidence StepLikelihood::weigh(std::span<const double> values, std::span<const double> deviations, const StepPlaces& places) {
  const std::size_t n = values.size();
  const double infinite = std::numeric_limits<double>::infinity(), count = static_cast<double>(n);
  StepEvidence evidence;
  double without = infinite;
  least_.assign(n, infinite);
  correlations_.assign(n, 0);
  for (int i = 0; i <= kCorrelationSteps; ++i) {
    const double correlation = kMostCorrelated * i / kCorrelationSteps;
    scan_.best({values, deviations, correlation}, places);
    const double unexplained = scan_.squares() * handicap_of(correlation, count);
    if (unexplained < without) {
      without = unexplained;
      evidence.correlation_without = correlation;
    }
    for (std::size_t at = 1; at < n; ++at) {
      const double left = unexplained * (1 - scan_.shares()[at]);
      if (!(left < least_[at])) continue;
      least_[at] = left;
      correlations_[at] = correlation;
    }
  }
  if (!(without > 0)) return evidence;
  evidence.correlation_with = evidence.correlation_without;
  const double older = std::exp(places.handicap / count);
  bool any = false;
  for (std::size_t at = places.least_before; at + places.least_after <= n; ++at) {
    const double score = 1 - least_[at] / without * (n - at <= places.recent ? 1 : older);
    if (any && score <= evidence.score) continue;
    any = true;
    evidence.score = score;
    evidence.correlation_with = correlations_[at];
  }
  return evidence;
}

}  // namespace fuselab
