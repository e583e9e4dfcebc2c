// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "core/changes/change_points.h"

namespace fuselab {

// The scatter of a series of runs around its level, for testing find_change_points() where the truth is known. In units of the
// scatter of one observation, outliers left out.
struct SeriesModel {
  std::string_view name;
  std::string_view what;
  double autocorrelation = 0;  // correlation of neighbours
  double outlier_share = 0;    // share of observations that are kOutlier too high or too low
  double drift = 0;            // change of the level over 60 observations
  double unevenness = 1;       // standard errors spread evenly from 1 to this, half of the variance
};
inline constexpr double kOutlier = 10;

std::span<const SeriesModel> series_models();

// Draws `before` observations, then `after` at a level that is `step` higher. Seeded; the first observations do not depend on how
// many follow.
std::vector<Observation> draw_series(const SeriesModel& model, std::uint64_t seed, int before, int after, double step);

// Returns the chance that the best possible test finds that step when it is told the place, the noise and the size of the step and
// only decides whether it is there: no test with the same rate of false alarms does better (Neyman, Pearson 1933). For normal noise
// without outliers or drift. Both signs count.
double best_power(const SeriesModel& model, int before, int after, double step, double alpha);

}  // namespace fuselab
