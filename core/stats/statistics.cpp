// SPDX-License-Identifier: Apache-2.0
#include "core/stats/statistics.h"

#include <algorithm>
#include <cmath>

#include "core/base/random.h"
#include "core/stats/noise_of_series.h"

namespace fuselab {
namespace {

// Below this the order statistics cannot reach 95 % coverage and a bootstrap sees too few points: the range is given.
constexpr std::size_t kFewSamples = 6;
constexpr int kBootstrapRounds = 2000;
constexpr std::uint64_t kBootstrapSeed = 0x5eedf05edULL;  // fixed: the interval is a function of the samples alone

double quantile_of_sorted(std::span<const double> sorted, double q) {
  const double position = q * static_cast<double>(sorted.size() - 1);
  const std::size_t below = static_cast<std::size_t>(position);
  const std::size_t above = std::min(below + 1, sorted.size() - 1);
  return sorted[below] + (position - static_cast<double>(below)) * (sorted[above] - sorted[below]);
}

double median_of(std::span<const double> values) {
  std::vector<double> copy(values.begin(), values.end());
  return median_in_place(copy);
}

// The largest rank r (0-based) for which [x(r), x(n-1-r)] covers the median with at least `confidence`: the number of samples
// below the median is Binomial(n, 1/2) whatever the distribution, so a tail of P(X <= r) lies outside on each side.
std::size_t median_rank(std::size_t n, double confidence) {
  const double allowed_tail = (1 - confidence) / 2;
  double log_term = -static_cast<double>(n) * std::log(2.0);
  double tail = std::exp(log_term);
  std::size_t rank = 0;
  while (rank + 1 < n / 2) {
    log_term += std::log(static_cast<double>(n - rank)) - std::log(static_cast<double>(rank + 1));
    tail += std::exp(log_term);
    if (tail > allowed_tail) break;
    ++rank;
  }
  return rank;
}

Interval median_interval(std::span<const double> sorted, double confidence) {
  if (sorted.size() < kFewSamples) return {sorted.front(), sorted.back()};
  const std::size_t rank = median_rank(sorted.size(), confidence);
  return {sorted[rank], sorted[sorted.size() - 1 - rank]};
}

void resample(std::span<const double> from, SeededRandom& random, std::vector<double>& to) {
  to.resize(from.size());
  for (double& value : to) value = from[random.below(from.size())];
}

void resample_pairs(std::span<const double> a, std::span<const double> b, SeededRandom& random, std::vector<double>& to_a,
                    std::vector<double>& to_b) {
  to_a.resize(a.size());
  to_b.resize(b.size());
  for (std::size_t i = 0; i < a.size(); ++i) {
    const std::size_t pick = random.below(a.size());
    to_a[i] = a[pick];
    to_b[i] = b[pick];
  }
}

Interval extreme_ratios(std::span<const double> a, std::span<const double> b) {
  const auto [a_low, a_high] = std::minmax_element(a.begin(), a.end());
  const auto [b_low, b_high] = std::minmax_element(b.begin(), b.end());
  return {*a_low / *b_high, *a_high / *b_low};
}

}  // namespace

Summary summarize(std::span<const double> samples, double confidence) {
  Summary summary;
  if (samples.empty()) return summary;
  std::vector<double> sorted(samples.begin(), samples.end());
  std::sort(sorted.begin(), sorted.end());
  double sum = 0;
  for (const double value : sorted) sum += value;
  summary.count = static_cast<std::int64_t>(sorted.size());
  summary.mean = sum / static_cast<double>(sorted.size());
  double squares = 0;
  for (const double value : sorted) squares += (value - summary.mean) * (value - summary.mean);
  if (sorted.size() > 1) summary.standard_deviation = std::sqrt(squares / static_cast<double>(sorted.size() - 1));
  summary.median = quantile_of_sorted(sorted, 0.5);
  summary.interval = median_interval(sorted, confidence);
  summary.minimum = sorted.front();
  summary.maximum = sorted.back();
  summary.p90 = quantile_of_sorted(sorted, 0.90);
  summary.p95 = quantile_of_sorted(sorted, 0.95);
  summary.p99 = quantile_of_sorted(sorted, 0.99);
  return summary;
}

Ratio ratio_of(std::span<const double> a, std::span<const double> b, bool paired, double confidence) {
  if (a.empty() || b.empty()) return {};
  Ratio ratio;
  ratio.value = median_of(a) / median_of(b);
  if (std::min(a.size(), b.size()) < kFewSamples) {
    ratio.interval = extreme_ratios(a, b);
    return ratio;
  }
  const bool in_pairs = paired && a.size() == b.size();
  SeededRandom random(kBootstrapSeed);
  std::vector<double> drawn_a, drawn_b, ratios;
  ratios.reserve(kBootstrapRounds);
  for (int round = 0; round < kBootstrapRounds; ++round) {
    if (in_pairs) {
      resample_pairs(a, b, random, drawn_a, drawn_b);
    } else {
      resample(a, random, drawn_a);
      resample(b, random, drawn_b);
    }
    ratios.push_back(median_in_place(drawn_a) / median_in_place(drawn_b));
  }
  std::sort(ratios.begin(), ratios.end());
  ratio.interval = {quantile_of_sorted(ratios, (1 - confidence) / 2), quantile_of_sorted(ratios, (1 + confidence) / 2)};
  return ratio;
}

}  // namespace fuselab
