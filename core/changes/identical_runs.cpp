// SPDX-License-Identifier: Apache-2.0
#include "core/changes/identical_runs.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "core/base/random.h"
#include "core/stats/deviation_bound.h"
#include "core/stats/noise_of_series.h"

namespace fuselab {
namespace {

// Returns the scatter of neighbouring measured runs, whatever identical ones lie between them; differences of two independent
// values scatter by sqrt(2) more than the values.
double scatter_of_measured(std::span<const Observation> series) {
  std::vector<double> measured, errors, work;
  for (const Observation& each : series) {
    if (each.identical) continue;
    measured.push_back(each.value);
    if (each.standard_error > 0) errors.push_back(each.standard_error);
  }
  if (measured.size() < 2) return 0;
  std::vector<double> differences;
  for (std::size_t i = 1; i < measured.size(); ++i) differences.push_back(measured[i] - measured[i - 1]);
  // The scatter of few runs is hardly known, and one that is too small makes steps, so it is taken as large as it may be.
  const double most = deviation_bound(static_cast<double>(measured.size()));
  return std::max(most * deviation_about(differences, 0, work) / std::numbers::sqrt2, median_in_place(errors));
}

// Box and Muller 1958; unit() is below 1, so that the logarithm's argument is above 0.
double next_normal(SeededRandom& random) {
  const double radius = std::sqrt(-2 * std::log(1 - random.unit()));
  return radius * std::cos(2 * std::numbers::pi * random.unit());
}

}  // namespace

std::vector<double> as_if_measured(std::span<const Observation> series, std::uint64_t seed) {
  const double scatter = scatter_of_measured(series);
  SeededRandom random(~seed);  // not the one that shuffles
  std::vector<double> values;
  for (const Observation& each : series) {
    const double moved = scatter * next_normal(random);  // drawn for each, so that what comes before changes none
    values.push_back(each.identical ? each.value + moved : each.value);
  }
  return values;
}

}  // namespace fuselab
