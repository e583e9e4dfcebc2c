// SPDX-License-Identifier: Apache-2.0
#include "core/stats/noise_of_series.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace fuselab {
namespace {

// The mean distance to the mean of normal values times this is their standard deviation: sqrt(pi/2).
constexpr double kDeviationPerMeanDistance = 1.2533141373155001;

double mean_of(std::span<const double> values) {
  return values.empty() ? 0 : std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

}  // namespace

double median_in_place(std::span<double> values) {
  if (values.empty()) return 0;
  const auto half = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), half, values.end());
  return values.size() % 2 == 1 ? *half : (*half + *std::max_element(values.begin(), half)) / 2;
}

double deviation_about(std::span<const double> values, double centre, std::vector<double>& work) {
  work.resize(values.size());
  std::transform(values.begin(), values.end(), work.begin(), [centre](double value) { return std::abs(value - centre); });
  const double robust = kDeviationPerMad * median_in_place(work);
  return robust > 0 ? robust : kDeviationPerMeanDistance * mean_of(work);
}

void standardise(std::span<const double> values, std::span<const double> deviations, std::vector<double>& standard,
                 std::vector<double>& work) {
  work.assign(values.begin(), values.end());
  const double centre = median_in_place(work);
  standard.resize(values.size());
  for (std::size_t i = 0; i < values.size(); ++i) standard[i] = (values[i] - centre) / deviations[i];
  const double unit = deviation_about(standard, 0, work);
  for (double& value : standard) value = unit > 0 ? std::clamp(value / unit, -kClipping, kClipping) : 0;
}

}  // namespace fuselab
