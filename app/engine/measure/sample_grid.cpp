// SPDX-License-Identifier: Apache-2.0
#include "app/engine/measure/sample_grid.h"

#include <algorithm>
#include <cmath>

#include "core/stats/statistics.h"

namespace fuselab::engine {
namespace {

constexpr double kTenthsPerNanosecond = 10;
constexpr double kFineness = 1.0 / 1000;
constexpr double kLargest = 1e15;  // in tenths of a nanosecond: a day

}  // namespace

SampleGrid SampleGrid::of(const PairedSamples& samples) {
  double unit = kLargest;
  for (const std::vector<double>* const side : {&samples.baseline, &samples.candidate}) {
    const bool finite = std::all_of(side->begin(), side->end(), [](double sample) { return std::isfinite(sample); });
    if (side->empty() || !finite) return {};
    unit = std::min(unit, kTenthsPerNanosecond * kFineness * summarize(*side).median);
  }
  if (unit < 1) return {1};
  const double digit = std::pow(10, std::max(0.0, std::floor(std::log10(unit)) - 1));
  return {static_cast<std::int64_t>(std::floor(unit / digit) * digit)};
}

double SampleGrid::steps(double nanoseconds) const {
  return std::round(nanoseconds * kTenthsPerNanosecond / static_cast<double>(tenths));
}

// A single division of whole numbers, so that the result equals what a decimal text of it reads back as.
double SampleGrid::nanoseconds(double steps) const {
  return steps * static_cast<double>(tenths) / kTenthsPerNanosecond;
}

PairedSamples SampleGrid::rounded(PairedSamples samples) const {
  if (tenths == 0) return samples;
  for (std::vector<double>* const side : {&samples.baseline, &samples.candidate}) {
    for (double& sample : *side) sample = nanoseconds(steps(sample));
  }
  return samples;
}

}  // namespace fuselab::engine
