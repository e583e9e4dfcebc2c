// SPDX-License-Identifier: Apache-2.0
#include "db/rows/trial_figures.h"

#include <algorithm>
#include <cmath>

#include "core/measure/loop/series_looks.h"

namespace fuselab::db {
namespace {

constexpr double kRounding = 1e-9;

bool same(double a, double b) {
  return std::abs(a - b) <= kRounding * std::max(std::abs(a), std::abs(b));
}

}  // namespace

bool has_figure(Outcome outcome) {
  return outcome == Outcome::kTimed || outcome == Outcome::kMistrusted;
}

TrialFigures figures_of(Outcome outcome, std::span<const double> samples) {
  if (!has_figure(outcome) || samples.empty()) return {};
  const Summary summary = summarize_series(samples);
  return {summary.median, summary.interval.low, summary.interval.high};
}

bool agree(const TrialFigures& a, const TrialFigures& b) {
  return same(a.median_ns, b.median_ns) && same(a.low_ns, b.low_ns) && same(a.high_ns, b.high_ns);
}

}  // namespace fuselab::db
