// SPDX-License-Identifier: Apache-2.0
#include "core/changes/change_points.h"

#include <algorithm>
#include <boost/math/distributions/students_t.hpp>
#include <cmath>
#include <optional>
#include <string>

#include "core/changes/identical_runs.h"
#include "core/changes/likelihood_interval.h"
#include "core/changes/step_test.h"
#include "core/stats/noise_of_series.h"
#include "core/stats/process_effect.h"

namespace fuselab {
namespace {

constexpr double kConfidence = 0.95;

Status check(std::span<const Observation> series, const ChangePointRule& rule) {
  if (series.size() > kMostObservations)
    return invalid_argument(std::to_string(series.size()) + " observations are more than the " + std::to_string(kMostObservations) +
                            " that are looked at");
  if (rule.least_before < 2 || rule.least_after < 2 || rule.recent < 0 || !(rule.handicap >= 0) || rule.surrogates < 1 ||
      !(rule.alpha > 0 && rule.alpha < 1))
    return invalid_argument(
        "no change can be looked for with fewer than two observations a side, without surrogates or with an "
        "alpha outside of 0 to 1");
  const auto wrong = std::find_if(series.begin(), series.end(), [](const Observation& each) {
    return !std::isfinite(each.value) || !std::isfinite(each.standard_error) || each.standard_error < 0;
  });
  if (wrong == series.end()) return {};
  return invalid_argument("observation " + std::to_string(wrong - series.begin()) +
                          " is not a finite number with its standard error");
}

// Each observation's own scatter: that between runs, which is what the standard errors leave of the whole, and its own. An unknown
// standard error counts as the usual one.
std::vector<double> deviations_of(std::span<const Observation> series, std::span<const double> values) {
  std::vector<double> sorted(values.begin(), values.end()), work, known;
  const double centre = median_in_place(sorted);
  const double whole = deviation_about(values, centre, work);
  for (const Observation& each : series) {
    if (each.standard_error > 0) known.push_back(each.standard_error);
  }
  const double usual = median_in_place(known);
  const double between = std::max(0.0, whole * whole - usual * usual);
  std::vector<double> deviations;
  for (const Observation& each : series) {
    const double own = each.standard_error > 0 ? each.standard_error : usual;
    deviations.push_back(std::sqrt(between + own * own));
  }
  const bool none = std::any_of(deviations.begin(), deviations.end(), [](double deviation) { return !(deviation > 0); });
  if (none) deviations.assign(series.size(), 1);  // a constant series: no step is found in it
  return deviations;
}

struct Segment {
  std::size_t first = 0, end = 0;
};

class Segmentation {
 public:
  Segmentation(std::span<const Observation> series, const ChangePointRule& rule)
      : rule_(rule), test_(rule), values_(as_if_measured(series, rule.seed)), deviations_(deviations_of(series, values_)) {}

  ChangePoints run() {
    std::vector<Segment> open = {{0, values_.size()}};
    while (!open.empty()) {
      const Segment segment = open.back();
      open.pop_back();
      const auto at = step_in(segment);
      if (!at) continue;
      open.push_back({segment.first, *at});
      open.push_back({*at, segment.end});
    }
    std::sort(found_.changes.begin(), found_.changes.end(), [](const auto& a, const auto& b) { return a.at < b.at; });
    std::sort(found_.drifts.begin(), found_.drifts.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
    measure_levels();
    return std::move(found_);
  }

 private:
  // Returns where the segment is to be divided, if at all.
  std::optional<std::size_t> step_in(Segment segment) {
    const std::size_t n = segment.end - segment.first;
    if (n < static_cast<std::size_t>(rule_.least_before) + static_cast<std::size_t>(rule_.least_after)) return std::nullopt;
    const auto values = std::span(values_).subspan(segment.first, n);
    const TestedStep tested = test_.test(values, std::span(deviations_).subspan(segment.first, n));
    if (segment.first == 0 && segment.end == values_.size()) found_.autocorrelation = tested.autocorrelation;
    if (tested.p_value > rule_.alpha) return std::nullopt;
    if (tested.line_share > tested.step.share) {
      found_.drifts.push_back({segment.first, segment.end - 1, 0});
      return std::nullopt;
    }
    ChangePoint change;
    change.at = segment.first + tested.step.at;
    change.p_value = tested.p_value;
    locate(tested, segment, change);
    found_.changes.push_back(change);
    return change.at;
  }

  static void locate(const TestedStep& tested, Segment segment, ChangePoint& change) {
    const double critical = critical_likelihood_ratio(kConfidence), n = static_cast<double>(tested.shares.size());
    change.earliest = change.latest = change.at;
    for (std::size_t at = 1; at < tested.shares.size(); ++at) {
      const double ratio = n * (std::log1p(-tested.shares[at]) - std::log1p(-tested.step.share));
      if (!(ratio <= critical)) continue;
      change.earliest = std::min(change.earliest, segment.first + at);
      change.latest = std::max(change.latest, segment.first + at);
    }
  }

  double median_of(Segment segment) {
    work_.assign(values_.begin() + static_cast<std::ptrdiff_t>(segment.first),
                 values_.begin() + static_cast<std::ptrdiff_t>(segment.end));
    return median_in_place(work_);
  }

  void measure_levels() {
    std::vector<Segment> segments;
    std::size_t first = 0;
    for (const ChangePoint& change : found_.changes) {
      segments.push_back({first, change.at});
      first = change.at;
    }
    segments.push_back({first, values_.size()});
    std::vector<double> distances;
    for (const Segment segment : segments) {
      found_.levels.push_back(median_of(segment));
      for (std::size_t i = segment.first; i < segment.end; ++i) distances.push_back(values_[i] - found_.levels.back());
    }
    found_.deviation = deviation_about(distances, 0, work_);
    for (std::size_t i = 0; i < found_.changes.size(); ++i) measure(found_.changes[i], segments[i], segments[i + 1], i);
    for (Drift& drift : found_.drifts) drift.change = drift_over({drift.first, drift.last + 1});
  }

  // The difference of two medians. A correlated series of n tells of its level what n (1-r)/(1+r) independent values would.
  void measure(ChangePoint& change, Segment before, Segment after, std::size_t index) {
    change.change = found_.levels[index + 1] - found_.levels[index];
    const double nb = static_cast<double>(before.end - before.first), na = static_cast<double>(after.end - after.first);
    const double inflation = kMedianVariance * (1 + found_.autocorrelation) / (1 - found_.autocorrelation);
    const double error = found_.deviation * std::sqrt(inflation * (1 / nb + 1 / na));
    const boost::math::students_t t(nb + na - 2);
    const double half = error * boost::math::quantile(t, (1 + kConfidence) / 2);
    change.interval = {change.change - half, change.change + half};
  }

  // Estimates the drift from the medians of the first and last third, whose middles are two thirds of the stretch apart (Theil's
  // idea).
  double drift_over(Segment segment) {
    const std::size_t n = segment.end - segment.first, third = n / 3;
    const double ends = median_of({segment.end - third, segment.end}) - median_of({segment.first, segment.first + third});
    return ends * static_cast<double>(n - 1) / static_cast<double>(n - third);
  }

  ChangePointRule rule_;
  StepTest test_;
  std::vector<double> values_, deviations_, work_;
  ChangePoints found_;
};

}  // namespace

Result<ChangePoints> find_change_points(std::span<const Observation> series, const ChangePointRule& rule) {
  FL_TRY_VOID(check(series, rule));
  if (series.empty()) return ChangePoints{};
  return Segmentation(series, rule).run();
}

}  // namespace fuselab
