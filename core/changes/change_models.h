// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "core/changes/change_points.h"

namespace fuselab {

// How a series of runs scatters around its level, for trying find_change_points() where the truth is known. In units of the
// scatter of one observation, the outliers left out.
struct SeriesModel {
  std::string_view name;
  std::string_view what;
  double autocorrelation = 0;  // of neighbours
  double outlier_share = 0;    // of observations that are kOutlier too high or too low
  double drift = 0;            // over 60 observations
  double unevenness = 1;       // standard errors spread evenly from 1 to this, half of the variance
};
inline constexpr double kOutlier = 10;

std::span<const SeriesModel> series_models();

// `before` observations, then `after` at a level that is `step` higher. Seeded; the first observations do not depend on how many
// follow.
std::vector<Observation> draw_series(const SeriesModel& model, std::uint64_t seed, int before, int after, double step);

// The chance that the best test there is finds that step when it is told the place, the noise and the size of the step, and only
// asked whether it is there: no test that errs as seldom does better (Neyman, Pearson 1933). For normal noise, neither outliers
// nor drift. Both signs.
double best_power(const SeriesModel& model, int before, int after, double step, double alpha);

}  // namespace fuselab
