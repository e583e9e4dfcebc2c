// SPDX-License-Identifier: Apache-2.0
#include "core/stats/anytime_mean.h"

#include <cmath>
#include <limits>

namespace fuselab {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

// Returns the bound on t²/(n-1) that E < 1/alpha means; infinite while there are too few observations for t to reach it.
double bound_on_squares(double n, double alpha) {
  if (n < 2) return kInfinity;
  const double r = AnytimeMean::kPrecision / (AnytimeMean::kPrecision + n);
  const double root = std::pow(1 / (alpha * std::sqrt(r)), 2 / n);
  return r * root >= 1 ? kInfinity : (root - 1) / (1 - r * root);
}

}  // namespace

void AnytimeMean::add(double observation) {
  ++count_;
  const double before = observation - mean_;
  mean_ += before / static_cast<double>(count_);
  squares_ += before * (observation - mean_);
}

double AnytimeMean::deviation() const {
  return count_ < 2 ? 0 : std::sqrt(squares_ / static_cast<double>(count_ - 1));
}

double AnytimeMean::half_width(double alpha) const {
  const double n = static_cast<double>(count_), bound = bound_on_squares(n, alpha);
  return std::isinf(bound) ? kInfinity : deviation() / std::sqrt(n) * std::sqrt((n - 1) * bound);
}

double AnytimeMean::half_width_per_deviation(double observations, double alpha) {
  const double bound = bound_on_squares(observations, alpha);
  return std::isinf(bound) ? kInfinity : std::sqrt((observations - 1) * bound / observations);
}

Interval AnytimeMean::interval(double alpha) const {
  const double half = half_width(alpha);
  return {mean_ - half, mean_ + half};
}

double AnytimeMean::log_evidence_against(double mean) const {
  if (count_ < 2) return 0;
  const double n = static_cast<double>(count_);
  const double r = kPrecision / (kPrecision + n);
  const double distance = mean_ - mean;
  if (distance == 0) return std::log(r) / 2;
  // t²/(n-1) without a division by a variance of zero.
  const double ratio = squares_ > 0 ? n * distance * distance / squares_ : kInfinity;
  const double quotient = std::isinf(ratio) ? 1 / r : (1 + ratio) / (1 + r * ratio);
  return std::log(r) / 2 + n / 2 * std::log(quotient);
}

}  // namespace fuselab
