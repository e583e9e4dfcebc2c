// SPDX-License-Identifier: Apache-2.0
#include "core/stats/past_runs.h"

#include <algorithm>
#include <boost/math/distributions/students_t.hpp>
#include <cmath>
#include <limits>
#include <string>

#include "core/stats/deviation_bound.h"
#include "core/stats/statistics.h"

namespace fuselab {
namespace {

Status check(const RunSamples& run) {
  if (run.size() < 2) return Error{ErrorCode::kCorrupt, "a session of " + std::to_string(run.size()) + " processes has no scatter"};
  for (const std::vector<double>& process : run) {
    if (process.empty()) return Error{ErrorCode::kCorrupt, "a process has no sample"};
    const auto wrong = std::ranges::find_if(process, [](double sample) { return !std::isfinite(sample) || sample <= 0; });
    if (wrong == process.end()) continue;
    return Error{ErrorCode::kCorrupt, "sample " + std::to_string(wrong - process.begin()) + " is " + std::to_string(*wrong) +
                                          " ns, which no clock gives"};
  }
  return {};
}

// Values with their mean and the sum of squared distances from it (Welford).
struct Spread {
  double count = 0, mean = 0, squares = 0;

  void add(double value) {
    const double distance = value - mean;
    mean += distance / ++count;
    squares += distance * (value - mean);
  }
  double variance() const { return count > 1 ? squares / (count - 1) : 0; }
};

Spread spread_of(const RunSamples& run) {
  Spread spread;
  for (const std::vector<double>& process : run) spread.add(std::log(summarize(process).median));
  return spread;
}

// The earlier runs and what they say together.
struct PastRuns {
  Spread levels;
  double inverse_processes = 0;     // mean of 1/n
  double squares = 0, freedom = 0;  // of processes around the levels of their runs

  void scatter(const Spread& run) {
    squares += run.squares;
    freedom += run.count - 1;
  }
  double process_variance() const { return squares / freedom; }
};

// Returns the standard error of the change of one more run that has so many processes.
double error_of(const PastRuns& past, double processes) {
  const double least = past.process_variance() * past.inverse_processes;
  const double level_variance = std::max(past.levels.variance(), least);
  const double fewer = std::max(0.0, 1 / processes - past.inverse_processes);
  const double error = std::sqrt(level_variance * (1 + 1 / past.levels.count) + past.process_variance() * fewer);
  // Runs that agree to the last bit are no measurement of anything; the smallest error keeps the arithmetic finite.
  return std::max(error, std::numeric_limits<double>::epsilon());
}

void judge(ComparisonResult& result, double change, double error, double runs, const PastRule& rule) {
  const boost::math::students_t t(runs - 1);
  const double margin = std::log1p(rule.margin);
  const double half = error * boost::math::quantile(boost::math::complement(t, rule.alpha / 2));
  const Interval interval{change - half, change + half};
  if (interval.low > margin) result.verdict = Verdict::kRegressed;
  if (interval.high < -margin) result.verdict = Verdict::kImproved;
  if (interval.low > -margin && interval.high < margin) result.verdict = Verdict::kEquivalent;
  result.interval = {std::exp(interval.low), std::exp(interval.high)};
  const auto two_sided = [&](double beyond) {
    return std::min(1.0, 2 * boost::math::cdf(boost::math::complement(t, beyond / error)));
  };
  result.p_regressed = two_sided(change - margin);
  result.p_improved = two_sided(-change - margin);
  result.minimum_detectable = std::expm1(margin + deviation_bound(runs) * (half + kNineteenOfTwenty * error));
}

}  // namespace

double level_ns(const RunSamples& run) {
  return std::exp(spread_of(run).mean);
}

Result<ComparisonResult> compare_with_past(std::span<const RunSamples> past, const RunSamples& now, const PastRule& rule) {
  if (past.empty()) return invalid_argument("there is no earlier session to compare with");
  PastRuns runs;
  for (const RunSamples& run : past) {
    FL_TRY_VOID(check(run));
    const Spread spread = spread_of(run);
    runs.levels.add(spread.mean);
    runs.inverse_processes += 1 / spread.count / static_cast<double>(past.size());
    runs.scatter(spread);
  }
  FL_TRY_VOID(check(now));
  const Spread today = spread_of(now);
  runs.scatter(today);
  const double change = today.mean - runs.levels.mean;
  ComparisonResult result;
  result.ratio = std::exp(change);
  result.interval = {0, std::numeric_limits<double>::infinity()};
  result.processes = static_cast<int>(now.size());
  result.within_deviation = std::sqrt(runs.process_variance());
  result.between_deviation = std::sqrt(runs.levels.variance());
  if (past.size() > 1) judge(result, change, error_of(runs, today.count), runs.levels.count, rule);
  return result;
}

}  // namespace fuselab
