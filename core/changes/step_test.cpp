// SPDX-License-Identifier: Apache-2.0
#include "core/changes/step_test.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "core/stats/noise_of_series.h"

namespace fuselab {
namespace {

// A step with this much of -2 ln of the likelihood ratio is no noise: five and a half deviations.
constexpr double kBeyondDoubt = 30;
constexpr std::size_t kLeastOfLevel = 3;
constexpr double kNearlyAll = 1 - 1e-12;  // of the sum of squares: keeps a logarithm finite

}  // namespace

StepTest::StepTest(const ChangePointRule& rule)
    : rule_(rule),
      places_{static_cast<std::size_t>(rule.least_before), static_cast<std::size_t>(rule.least_after),
              static_cast<std::size_t>(rule.recent), rule.handicap} {}

StepEvidence StepTest::clearest(std::span<const double> values, std::span<const double> deviations) {
  standardise(values, deviations, standard_, work_);
  const Step uncorrelated = scan_.best({standard_, deviations, 0}, places_);
  residual_ = standard_;
  subtract_levels(0, uncorrelated.at, deviations);
  subtract_levels(uncorrelated.at, residual_.size(), deviations);
  clip_residual();
  leave_only_the_step(uncorrelated.at, deviations);
  return likelihood_.weigh(single_, deviations, places_);
}

// Other steps than the one that is tested would count as correlation, too, and hide each other, so the certain ones are subtracted
// as levels.
void StepTest::subtract_levels(std::size_t first, std::size_t end, std::span<const double> deviations) {
  const std::size_t n = end - first;
  const auto values = std::span(residual_).subspan(first, n);
  const auto own = deviations.subspan(first, n);
  if (n >= 2 * kLeastOfLevel) {
    const Step step = level_scan_.best({values, own, 0}, {kLeastOfLevel, kLeastOfLevel, n, 0});
    if (-static_cast<double>(n) * std::log1p(-std::min(step.share, kNearlyAll)) > kBeyondDoubt) {
      subtract_levels(first, first + step.at, deviations);
      subtract_levels(first + step.at, end, deviations);
      return;
    }
  }
  double sum = 0, weight = 0;
  for (std::size_t i = 0; i < n; ++i) {
    sum += values[i] / own[i];
    weight += 1 / (own[i] * own[i]);
  }
  for (std::size_t i = 0; i < n; ++i) values[i] -= sum / weight / own[i];
}

// A large step widens the deviation that outliers are told by, and lets them stand far above the noise that is left: then any noise
// that remembers jumps as far.
void StepTest::clip_residual() {
  const double limit = kClipping * deviation_about(residual_, 0, work_);
  if (!(limit > 0)) return;
  for (double& value : residual_) value = std::clamp(value, -limit, limit);
}

// The residual with the step that was taken from it: the series itself where its levels are but two.
void StepTest::leave_only_the_step(std::size_t at, std::span<const double> deviations) {
  single_ = residual_;
  if (at == 0) return;
  const auto level = [&](std::size_t i) { return (standard_[i] - residual_[i]) * deviations[i]; };
  const double step = level(at) - level(at - 1);
  for (std::size_t i = at; i < single_.size(); ++i) single_[i] += step / deviations[i];
}

// Sets the noise to what whitening leaves of the residual.
void StepTest::split_off_noise(double correlation) {
  noise_.resize(residual_.size());
  double last = 0;
  for (std::size_t i = 0; i < noise_.size(); ++i) {
    noise_[i] = i == 0 ? residual_[0] * std::sqrt(1 - correlation * correlation) : residual_[i] - correlation * last;
    last = residual_[i];
  }
}

void StepTest::next_surrogate(SeededRandom& random, std::span<const double> deviations, double correlation) {
  for (std::size_t i = noise_.size(); i > 1; --i) std::swap(noise_[i - 1], noise_[random.below(i)]);
  double state = noise_[0] / std::sqrt(1 - correlation * correlation);
  surrogate_.resize(noise_.size());
  for (std::size_t i = 0; i < noise_.size(); ++i) {
    if (i > 0) state = correlation * state + noise_[i];
    surrogate_[i] = state * deviations[i];
  }
}

TestedStep StepTest::test(std::span<const double> values, std::span<const double> deviations) {
  TestedStep tested;
  const StepEvidence evidence = clearest(values, deviations);
  tested.autocorrelation = evidence.correlation_with;
  tested.step = scan_.best({standard_, deviations, tested.autocorrelation}, places_);
  tested.line_share = scan_.share_of_line({standard_, deviations, tested.autocorrelation});
  tested.shares.assign(scan_.shares().begin(), scan_.shares().end());
  if (tested.step.at == 0) return tested;
  split_off_noise(tested.autocorrelation);
  SeededRandom random(rule_.seed);
  const double count = rule_.surrogates + 1.0;
  int as_clear = 0;
  for (int i = 0; i < rule_.surrogates; ++i) {
    // Correlated as a series without a step would be likeliest to be: what is asked is what such a series shows.
    next_surrogate(random, deviations, evidence.correlation_without);
    if (clearest(surrogate_, deviations).score < evidence.score) continue;
    if (++as_clear + 1 > rule_.alpha * count) return tested;  // can only become less significant
  }
  tested.p_value = (as_clear + 1) / count;
  return tested;
}

}  // namespace fuselab
