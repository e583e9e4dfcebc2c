// SPDX-License-Identifier: Apache-2.0
#include "core/compare/past_sessions.h"

#include <algorithm>
#include <boost/math/distributions/students_t.hpp>
#include <cmath>
#include <limits>
#include <string>

#include "core/compare/deviation_bound.h"
#include "core/measure/statistics.h"

namespace fuselab {
namespace {

Status check(const SessionSamples& session) {
  if (session.size() < 2)
    return Error{ErrorCode::kCorrupt, "a session of " + std::to_string(session.size()) + " processes has no scatter"};
  for (const std::vector<double>& process : session) {
    if (process.empty()) return Error{ErrorCode::kCorrupt, "a process has no sample"};
    auto const wrong = std::ranges::find_if(process, [](double sample) { return !std::isfinite(sample) || sample <= 0; });
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
    double const distance = value - mean;
    mean += distance / ++count;
    squares += distance * (value - mean);
  }
  double variance() const { return count > 1 ? squares / (count - 1) : 0; }
};

Spread spread_of(const SessionSamples& session) {
  Spread spread;
  for (const std::vector<double>& process : session) spread.add(std::log(summarize(process).median));
  return spread;
}

// What several sessions say together.
struct Sessions {
  Spread levels;
  double inverse_processes = 0;     // mean of 1/n
  double squares = 0, freedom = 0;  // of processes around their sessions' levels

  void scatter(const Spread& session) {
    squares += session.squares;
    freedom += session.count - 1;
  }
  double process_variance() const { return squares / freedom; }
};

// Of the change of one session more that has so many processes.
double error_of(const Sessions& past, double processes) {
  double const least = past.process_variance() * past.inverse_processes;
  double const level_variance = std::max(past.levels.variance(), least);
  double const fewer = std::max(0.0, 1 / processes - past.inverse_processes);
  double const error = std::sqrt(level_variance * (1 + 1 / past.levels.count) + past.process_variance() * fewer);
  // Sessions that agree to the last bit are no measurement of anything; the smallest error keeps the arithmetic finite.
  return std::max(error, std::numeric_limits<double>::epsilon());
}

void judge(ComparisonResult& result, double change, double error, double sessions, const PastRule& rule) {
  boost::math::students_t const t(sessions - 1);
  double const margin = std::log1p(rule.margin);
  double const half = error * boost::math::quantile(boost::math::complement(t, rule.alpha / 2));
  Interval const interval{change - half, change + half};
  if (interval.low > margin) result.verdict = Verdict::kRegressed;
  if (interval.high < -margin) result.verdict = Verdict::kImproved;
  if (interval.low > -margin && interval.high < margin) result.verdict = Verdict::kEquivalent;
  result.interval = {std::exp(interval.low), std::exp(interval.high)};
  auto const two_sided = [&](double beyond) {
    return std::min(1.0, 2 * boost::math::cdf(boost::math::complement(t, beyond / error)));
  };
  result.p_regressed = two_sided(change - margin);
  result.p_improved = two_sided(-change - margin);
  result.minimum_detectable = std::expm1(margin + deviation_bound(sessions) * (half + kNineteenOfTwenty * error));
}

}  // namespace

double level_ns(const SessionSamples& session) {
  return std::exp(spread_of(session).mean);
}

Result<ComparisonResult> compare_with_past(std::span<const SessionSamples> past, const SessionSamples& now, const PastRule& rule) {
  if (past.empty()) return invalid_argument("there is no earlier session to compare with");
  Sessions sessions;
  for (const SessionSamples& session : past) {
    FL_TRY_VOID(check(session));
    Spread const spread = spread_of(session);
    sessions.levels.add(spread.mean);
    sessions.inverse_processes += 1 / spread.count / static_cast<double>(past.size());
    sessions.scatter(spread);
  }
  FL_TRY_VOID(check(now));
  Spread const today = spread_of(now);
  sessions.scatter(today);
  double const change = today.mean - sessions.levels.mean;
  ComparisonResult result;
  result.ratio = std::exp(change);
  result.interval = {0, std::numeric_limits<double>::infinity()};
  result.processes = static_cast<int>(now.size());
  result.within_deviation = std::sqrt(sessions.process_variance());
  result.between_deviation = std::sqrt(sessions.levels.variance());
  if (past.size() > 1) judge(result, change, error_of(sessions, today.count), sessions.levels.count, rule);
  return result;
}

}  // namespace fuselab
