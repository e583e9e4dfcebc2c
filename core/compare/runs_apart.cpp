// SPDX-License-Identifier: Apache-2.0
#include "core/compare/runs_apart.h"

#include <algorithm>
#include <boost/math/distributions/students_t.hpp>
#include <cmath>
#include <limits>

#include "core/compare/false_discovery.h"

namespace fuselab {
namespace {

bool was_timed(double nanoseconds) {
  return std::isfinite(nanoseconds) && nanoseconds > 0;
}

double log_ratio(const TimedApart& kernel) {
  return std::log(kernel.after_ns) - std::log(kernel.before_ns);
}

bool is_control(const TimedApart& kernel) {
  return kernel.same_kernel && kernel.same_machine;
}

// What kernels that did not change differ by, as logarithms.
struct Controls {
  int count = 0;
  double mean = 0;
  double deviation = 0;

  // Of the change of one kernel more.
  double error() const { return deviation * std::sqrt(1 + 1.0 / count); }
};

Controls controls_of(std::span<const TimedApart> kernels) {
  Controls controls;
  double squares = 0;
  for (const TimedApart& kernel : kernels) {
    if (!is_control(kernel)) continue;
    double const distance = log_ratio(kernel) - controls.mean;
    controls.mean += distance / ++controls.count;
    squares += distance * (log_ratio(kernel) - controls.mean);
  }
  if (controls.count > 1) controls.deviation = std::sqrt(squares / (controls.count - 1));
  return controls;
}

// Of one kernel that changed, beside enough controls.
struct Judged {
  Verdict verdict = Verdict::kInconclusive;
  Interval interval;  // logarithms
  double p_value = 1;
};

Judged judged(double change, const Controls& controls, const RunsApartRule& rule) {
  boost::math::students_t const t(controls.count - 1);
  double const margin = std::log1p(rule.margin);
  // Controls that agree to the last bit are no measurement of anything; the smallest error keeps the arithmetic finite.
  double const error = std::max(controls.error(), std::numeric_limits<double>::epsilon());
  double const half = error * boost::math::quantile(boost::math::complement(t, rule.alpha / 2));
  Judged found;
  found.interval = {change - half, change + half};
  if (found.interval.low > margin) found.verdict = Verdict::kRegressed;
  if (found.interval.high < -margin) found.verdict = Verdict::kImproved;
  if (found.interval.low > -margin && found.interval.high < margin) found.verdict = Verdict::kEquivalent;
  // Which direction is asked for is seen first: twice the chance of one.
  double const beyond = (std::fabs(change) - margin) / error;
  found.p_value = std::min(1.0, 2 * boost::math::cdf(boost::math::complement(t, beyond)));
  return found;
}

std::string too_few(int controls, const RunsApartRule& rule) {
  return std::to_string(controls) + (controls == 1 ? " kernel is" : " kernels are") + " the very same in both runs; it takes " +
         std::to_string(rule.least_controls) + " to tell how far kernels differ that did not change";
}

}  // namespace

Result<RunsApart> compare_runs_apart(std::span<const TimedApart> kernels, const RunsApartRule& rule) {
  for (const TimedApart& kernel : kernels) {
    if (!was_timed(kernel.before_ns) || !was_timed(kernel.after_ns))
      return invalid_argument("a kernel's time is " +
                              std::to_string(was_timed(kernel.before_ns) ? kernel.after_ns : kernel.before_ns) +
                              " ns, which no clock gives");
  }
  Controls const controls = controls_of(kernels);
  bool const enough = controls.count >= std::max(2, rule.least_controls);
  RunsApart apart;
  apart.controls = controls.count;
  apart.drift = std::exp(controls.mean);
  apart.deviation = controls.deviation;
  std::vector<std::size_t> judged_ones;
  std::vector<double> p_values;
  for (const TimedApart& kernel : kernels) {
    ApartResult& result = apart.kernels.emplace_back();
    result.ratio = kernel.after_ns / kernel.before_ns;
    result.interval = {0, std::numeric_limits<double>::infinity()};
    if (!kernel.same_machine) {
      result.reason = "measured on another machine: ratios of two machines say nothing about a kernel";
      continue;
    }
    if (enough) result.without_drift = std::exp(log_ratio(kernel) - controls.mean);
    if (kernel.same_kernel) {
      result.verdict = Verdict::kSame;
      continue;
    }
    if (!enough) {
      result.reason = too_few(controls.count, rule);
      continue;
    }
    Judged const found = judged(log_ratio(kernel) - controls.mean, controls, rule);
    result.verdict = found.verdict;
    result.interval = {std::exp(found.interval.low), std::exp(found.interval.high)};
    if (found.verdict == Verdict::kInconclusive) result.reason = "kernels that did not change differ by as much";
    judged_ones.push_back(apart.kernels.size() - 1);
    p_values.push_back(found.p_value);
  }
  std::vector<bool> const stands = false_discovery_control(p_values, rule.false_discovery);
  std::vector<double> const rates = false_discovery_rates(p_values);
  for (std::size_t place = 0; place < judged_ones.size(); ++place) {
    ApartResult& result = apart.kernels[judged_ones[place]];
    result.q_value = rates[place];
    bool const called = result.verdict == Verdict::kRegressed || result.verdict == Verdict::kImproved;
    if (!called || stands[place]) continue;
    result.verdict = Verdict::kInconclusive;
    result.reason = "of so many kernels one is expected to look so by chance";
  }
  return apart;
}

}  // namespace fuselab
