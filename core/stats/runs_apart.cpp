// SPDX-License-Identifier: Apache-2.0
#include "core/stats/runs_apart.h"

#include <algorithm>
#include <boost/math/distributions/students_t.hpp>
#include <cmath>
#include <limits>

#include "core/stats/false_discovery.h"

namespace fuselab {
namespace {

bool was_timed(double nanoseconds) {
  return std::isfinite(nanoseconds) && nanoseconds > 0;
}

double log_ratio(const TimedApart& kernel) {
  return std::log(kernel.after_ns) - std::log(kernel.before_ns);
}

// Summarises how much the unchanged kernels of one stratum differ, as logarithms.
struct Controls {
  std::string stratum;
  int count = 0;
  double mean = 0;
  double squares = 0;  // of the distances from the mean

  void add(double value) {
    const double distance = value - mean;
    mean += distance / ++count;
    squares += distance * (value - mean);
  }
  double deviation() const { return count > 1 ? std::sqrt(squares / (count - 1)) : 0; }
  // Returns the error of the change of one more kernel.
  double error() const { return deviation() * std::sqrt(1 + 1.0 / count); }
};

bool are_enough(const Controls& controls, const RunsApartRule& rule) {
  return controls.count >= std::max(2, rule.least_controls);
}

// There are as few as devices and modes.
template <class Strata>
auto find_stratum(Strata& strata, const std::string& name) {
  return std::find_if(strata.begin(), strata.end(), [&name](const Controls& known) { return known.stratum == name; });
}

// Returns the strata in order of appearance.
std::vector<Controls> controls_of(std::span<const TimedApart> kernels) {
  std::vector<Controls> strata;
  for (const TimedApart& kernel : kernels) {
    if (!kernel.same_machine) continue;
    auto found = find_stratum(strata, kernel.stratum);
    if (found == strata.end()) found = strata.insert(found, Controls{kernel.stratum});
    if (kernel.same_kernel) found->add(log_ratio(kernel));
  }
  return strata;
}

// Holds the judgement of one kernel that changed, beside enough controls.
struct Judged {
  Verdict verdict = Verdict::kInconclusive;
  Interval interval;  // logarithms
  double p_value = 1;
};

Judged judged(double change, const Controls& controls, const RunsApartRule& rule) {
  const boost::math::students_t t(controls.count - 1);
  const double margin = std::log1p(rule.margin);
  // Controls that agree to the last bit are no measurement of anything; the smallest error keeps the arithmetic finite.
  const double error = std::max(controls.error(), std::numeric_limits<double>::epsilon());
  const double half = error * boost::math::quantile(boost::math::complement(t, rule.alpha / 2));
  Judged found;
  found.interval = {change - half, change + half};
  if (found.interval.low > margin) found.verdict = Verdict::kRegressed;
  if (found.interval.high < -margin) found.verdict = Verdict::kImproved;
  if (found.interval.low > -margin && found.interval.high < margin) found.verdict = Verdict::kEquivalent;
  // The data chooses the direction that is tested, so the chance of one direction is doubled.
  const double beyond = (std::fabs(change) - margin) / error;
  found.p_value = std::min(1.0, 2 * boost::math::cdf(boost::math::complement(t, beyond)));
  return found;
}

std::string too_few(const Controls& controls, const RunsApartRule& rule) {
  const std::string count = controls.count == 0 ? "no" : std::to_string(controls.count);
  return count + (controls.count < 2 ? " kernel is" : " kernels are") + " the very same in both runs" +
         (controls.stratum.empty() ? "" : " on " + controls.stratum) + "; it takes " + std::to_string(rule.least_controls) +
         " to tell how far kernels differ that did not change";
}

}  // namespace

Result<RunsApart> compare_runs_apart(std::span<const TimedApart> kernels, const RunsApartRule& rule) {
  for (const TimedApart& kernel : kernels) {
    if (!was_timed(kernel.before_ns) || !was_timed(kernel.after_ns))
      return invalid_argument("a kernel's time is " +
                              std::to_string(was_timed(kernel.before_ns) ? kernel.after_ns : kernel.before_ns) +
                              " ns, which no clock gives");
  }
  const std::vector<Controls> strata = controls_of(kernels);
  RunsApart apart;
  for (const Controls& controls : strata)
    apart.strata.push_back(
        {controls.stratum, controls.count, are_enough(controls, rule), std::exp(controls.mean), controls.deviation()});
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
    const Controls& controls = *find_stratum(strata, kernel.stratum);
    const bool enough = are_enough(controls, rule);
    if (enough) result.without_drift = std::exp(log_ratio(kernel) - controls.mean);
    if (kernel.same_kernel) {
      result.verdict = Verdict::kSame;
      continue;
    }
    if (!enough) {
      result.reason = too_few(controls, rule);
      continue;
    }
    const Judged found = judged(log_ratio(kernel) - controls.mean, controls, rule);
    result.verdict = found.verdict;
    result.interval = {std::exp(found.interval.low), std::exp(found.interval.high)};
    if (found.verdict == Verdict::kInconclusive) result.reason = "kernels that did not change differ by as much";
    judged_ones.push_back(apart.kernels.size() - 1);
    p_values.push_back(found.p_value);
  }
  const std::vector<bool> stands = false_discovery_control(p_values, rule.false_discovery);
  const std::vector<double> rates = false_discovery_rates(p_values);
  for (std::size_t place = 0; place < judged_ones.size(); ++place) {
    ApartResult& result = apart.kernels[judged_ones[place]];
    result.q_value = rates[place];
    const bool called = result.verdict == Verdict::kRegressed || result.verdict == Verdict::kImproved;
    if (!called || stands[place]) continue;
    result.verdict = Verdict::kInconclusive;
    result.reason = "of so many kernels one is expected to look so by chance";
  }
  return apart;
}

}  // namespace fuselab
