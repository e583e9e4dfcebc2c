// SPDX-License-Identifier: Apache-2.0
#include "core/changes/change_models.h"

#include <array>
#include <boost/math/distributions/normal.hpp>
#include <cmath>
#include <numbers>

#include "core/base/random.h"

namespace fuselab {
namespace {

constexpr std::array<SeriesModel, 6> kSeriesModels = {{
    {"independent", "normal, runs do not depend on each other", 0, 0, 0, 1},
    {"AR 0.3", "normal, neighbours correlated by 0.3", 0.3, 0, 0, 1},
    {"AR 0.6", "normal, neighbours correlated by 0.6", 0.6, 0, 0, 1},
    {"outliers", "independent, one run in 20 ten deviations off", 0, 0.05, 0, 1},
    {"uneven", "independent, known standard errors up to four times the smallest, half of the variance", 0, 0, 0, 4},
    {"drift", "independent, the level rises by two deviations over 60 runs: no step, yet not stationary", 0, 0, 2, 1},
}};

class Normal {
 public:
  explicit Normal(std::uint64_t seed) : random_(seed) {}
  double unit() { return random_.unit(); }
  // Box and Muller 1958; unit() is below 1, so that the logarithm's argument is above 0.
  double next() { return std::sqrt(-2 * std::log(1 - unit())) * std::cos(2 * std::numbers::pi * unit()); }

 private:
  SeededRandom random_;
};

}  // namespace

std::span<const SeriesModel> series_models() {
  return kSeriesModels;
}

std::vector<Observation> draw_series(const SeriesModel& model, std::uint64_t seed, int before, int after, double step) {
  Normal normal(seed);
  const double phi = model.autocorrelation, fresh = std::sqrt(1 - phi * phi);
  const double spread = model.unevenness - 1;
  // This is the mean square of errors spread evenly from 1 to 1 + spread.
  const double mean_square = 1 + spread + spread * spread / 3;
  std::vector<Observation> series;
  double state = 0;
  for (int i = 0; i < before + after; ++i) {
    state = i == 0 ? normal.next() : phi * state + fresh * normal.next();
    const double place = normal.unit(), side = normal.unit(), evenly = normal.unit(), own = normal.next();
    Observation each{state, 0};
    if (spread > 0) {
      each.standard_error = (1 + spread * evenly) * std::sqrt(0.5 / mean_square);
      each.value = state * std::sqrt(0.5) + each.standard_error * own;
    }
    if (place < model.outlier_share) each.value += side < 0.5 ? kOutlier : -kOutlier;
    each.value += (i >= before ? step : 0) + model.drift * i / 60;
    series.push_back(each);
  }
  return series;
}

double best_power(const SeriesModel& model, int before, int after, double step, double alpha) {
  // The step and the level, whitened: sums of squares and of products.
  const double phi = model.autocorrelation, behind = 1 - phi, scale = 1 - phi * phi;
  const double level = scale + (before + after - 1) * behind * behind;
  const double own = 1 + (after - 1) * behind * behind;
  const double shared = behind + (after - 1) * behind * behind;
  const double distance = std::abs(step) * std::sqrt((own - shared * shared / level) / scale);
  const boost::math::normal normal;
  const double critical = boost::math::quantile(boost::math::complement(normal, alpha / 2));
  return boost::math::cdf(normal, distance - critical) + boost::math::cdf(normal, -distance - critical);
}

}  // namespace fuselab
