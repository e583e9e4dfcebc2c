// SPDX-License-Identifier: Apache-2.0
#include "core/stats/process_effect.h"

#include <algorithm>
#include <cmath>
#include <string>

#include "core/stats/noise_of_series.h"

namespace fuselab {
namespace {

Status check(const PairedSamples& samples) {
  if (samples.baseline.size() != samples.candidate.size()) {
    return Error{ErrorCode::kCorrupt, "the baseline has " + std::to_string(samples.baseline.size()) + " samples, the candidate " +
                                          std::to_string(samples.candidate.size())};
  }
  if (samples.baseline.size() < std::size_t{2} * kLeastPairs) {
    return Error{ErrorCode::kCorrupt, std::to_string(samples.baseline.size()) + " samples a side are too few to compare"};
  }
  for (const std::span<const double> side :
       {std::span<const double>(samples.baseline), std::span<const double>(samples.candidate)}) {
    const auto wrong = std::find_if(side.begin(), side.end(), [](double sample) { return !std::isfinite(sample) || sample <= 0; });
    if (wrong == side.end()) continue;
    return Error{ErrorCode::kCorrupt,
                 "sample " + std::to_string(wrong - side.begin()) + " is " + std::to_string(*wrong) + " ns, which no clock gives"};
  }
  return {};
}

constexpr std::size_t kLeastOfHalf = 2;

double block_variance(std::vector<double> pairs, double pair_variance) {
  const std::size_t half = pairs.size() / 2;
  if (half < kLeastOfHalf) return 0;
  const double first = median_in_place(std::span(pairs).first(half)), second = median_in_place(std::span(pairs).last(half));
  // Of two values, half the squared distance is their variance. The median of two pairs is their mean.
  const double explained = (half == 2 ? 1 : kMedianVariance) * pair_variance / static_cast<double>(half);
  return (first - second) * (first - second) / 2 - explained;
}

}  // namespace

Result<ProcessEffect> effect_of(const PairedSamples& samples) {
  FL_TRY_VOID(check(samples));
  std::vector<double> pairs;
  for (std::size_t i = 0; i + 1 < samples.baseline.size(); i += 2) {
    const double first = std::log(samples.candidate[i] / samples.baseline[i]);
    const double second = std::log(samples.candidate[i + 1] / samples.baseline[i + 1]);
    pairs.push_back((first + second) / 2);
  }
  ProcessEffect effect;
  effect.pairs = static_cast<int>(pairs.size());
  const std::vector<double> in_order = pairs;
  effect.log_ratio = median_in_place(pairs);
  for (double& pair : pairs) pair = std::fabs(pair - effect.log_ratio);
  const double deviation = kDeviationPerMad * median_in_place(pairs);
  effect.pair_variance = deviation * deviation;
  effect.block_variance = block_variance(in_order, effect.pair_variance);
  return effect;
}

}  // namespace fuselab
