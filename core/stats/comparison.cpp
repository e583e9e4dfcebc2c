// SPDX-License-Identifier: Apache-2.0
#include "core/stats/comparison.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <string>

#include "core/stats/deviation_bound.h"
#include "core/stats/sampling_effort.h"

namespace fuselab {
namespace {

constexpr std::array<std::string_view, 5> kNames = {"same", "regressed", "improved", "equivalent", "inconclusive"};

constexpr int kMostRounds = 100;
constexpr int kFewestPairs = 3;  // worth starting a process for
constexpr double kMostPairs = kMostRounds / 2.0;
constexpr double kPlain = 0.2;  // log of a ratio that few rounds show as well as many: 22 % slower, 18 % faster

// Returns the pairs of rounds per process that give the narrowest interval per time; the variances are those of a median's sample
// and of a process. Where the processes would end before the budget does, given in pairs, they are longer, as far as that narrows
// the interval: until a process's pairs add a quarter of what processes differ by.
double worthwhile_pairs(const ComparisonRule& rule, double within, double between, double budget, double processes) {
  constexpr double kShareOfBetween = 0.25;
  const double best = std::ceil(std::min(best_samples_per_process(rule.process_cost / 2, within, between), kMostPairs));
  const double useful = between > 0 ? within / (kShareOfBetween * between) : kMostPairs;
  const double affordable = std::floor(budget / std::max(processes, 1.0));
  return std::clamp(std::max(best, std::min(affordable, useful)), static_cast<double>(kFewestPairs), kMostPairs);
}

}  // namespace

std::string_view name_of(Verdict verdict) {
  return kNames[static_cast<std::size_t>(verdict)];
}

Result<Verdict> parse_verdict(std::string_view name) {
  const auto found = std::find(kNames.begin(), kNames.end(), name);
  if (found == kNames.end()) return Error{ErrorCode::kInvalidArgument, "no verdict is called '" + std::string(name) + "'"};
  return static_cast<Verdict>(found - kNames.begin());
}

std::optional<VarianceShares> variance_shares(const ComparisonResult& result) {
  if (result.processes < 2 || result.pairs < result.processes) return std::nullopt;
  const double pairs = static_cast<double>(result.pairs) / result.processes;
  const double within = kMedianVariance * result.within_deviation * result.within_deviation / pairs;
  const double between = result.between_deviation * result.between_deviation;
  const double blocks = std::min(between, result.block_deviation * result.block_deviation / 2);
  const double sum = within + between;
  if (!(sum > 0)) return std::nullopt;
  return VarianceShares{within / sum, blocks / sum, (between - blocks) / sum};
}

double expected_detectable(const ComparisonRule& rule, const ComparisonResult& pilot) {
  if (pilot.pairs < 1 || !(pilot.spent.count > 0)) return std::numeric_limits<double>::infinity();
  const double within = kMedianVariance * pilot.within_deviation * pilot.within_deviation;
  const double between = pilot.between_deviation * pilot.between_deviation;
  const double pair_time = pilot.spent.count / pilot.pairs;
  const double pairs = worthwhile_pairs(rule, within, between, rule.budget.count / pair_time, rule.most_processes);
  const double process_time = pairs * pair_time;
  const double processes = std::clamp(std::floor(rule.budget.count / process_time), static_cast<double>(rule.least_processes),
                                      static_cast<double>(rule.most_processes));
  const double deviation = std::sqrt(within / pairs + between);
  const double chance = kNineteenOfTwenty / std::sqrt(processes);
  const double reach = AnytimeMean::half_width_per_deviation(processes, rule.alpha) + chance;
  return std::expm1(std::log1p(rule.margin) + deviation * reach);
}

std::optional<int> Comparison::next_rounds() const {
  if (decided() || exhausted()) return std::nullopt;
  if (effects_.count() > 0 && std::fabs(effects_.mean()) > kPlain) return 2 * kFewestPairs;
  if (effects_.count() < rule_.least_processes) return rule_.first_rounds;
  return worthwhile_rounds();
}

Status Comparison::tell(const PairedSamples& samples, Nanoseconds spent) {
  FL_TRY(const ProcessEffect effect, effect_of(samples));
  effects_.add(effect.log_ratio);
  variances_ += effect.variance();
  pair_variances_ += effect.pair_variance;
  block_variances_ += effect.block_variance;
  pairs_ += effect.pairs;
  spent_.count += spent.count;
  if (effects_.count() < rule_.least_processes) return {};  // as a verdict needs
  const double margin = std::log1p(rule_.margin);
  if (effects_.mean() > margin) strongest_regressed_ = std::max(strongest_regressed_, effects_.log_evidence_against(margin));
  if (effects_.mean() < -margin) strongest_improved_ = std::max(strongest_improved_, effects_.log_evidence_against(-margin));
  return {};
}

std::optional<Verdict> Comparison::decided() const {
  if (effects_.count() < rule_.least_processes) return std::nullopt;
  const double margin = std::log1p(rule_.margin);
  const Interval interval = effects_.interval(rule_.alpha);
  if (interval.low > margin) return Verdict::kRegressed;
  if (interval.high < -margin) return Verdict::kImproved;
  if (interval.low > -margin && interval.high < margin) return Verdict::kEquivalent;
  return std::nullopt;
}

// A comparison that is too slow for its budget still runs in as many processes as a verdict needs.
bool Comparison::exhausted() const {
  if (effects_.count() < rule_.least_processes) return false;
  return effects_.count() >= rule_.most_processes || spent_.count >= rule_.budget.count;
}

double Comparison::between_variance() const {
  if (effects_.count() < 2) return 0;
  const double all = effects_.deviation() * effects_.deviation();
  return std::max(0.0, all - variances_ / static_cast<double>(effects_.count()));
}

int Comparison::worthwhile_rounds() const {
  const double within = kMedianVariance * pair_variances_ / static_cast<double>(effects_.count());
  const double pair_time = spent_.count / std::max(pairs_, 1);
  const double left = pair_time > 0 ? (rule_.budget.count - spent_.count) / pair_time : 0;
  const double processes = rule_.most_processes - static_cast<double>(effects_.count());
  return 2 * static_cast<int>(worthwhile_pairs(rule_, within, between_variance(), left, processes));
}

ComparisonResult Comparison::result() const {
  ComparisonResult result;
  result.verdict = decided().value_or(Verdict::kInconclusive);
  const Interval interval = effects_.interval(rule_.alpha);
  result.ratio = std::exp(effects_.mean());
  result.interval = {std::exp(interval.low), std::exp(interval.high)};
  const double n = static_cast<double>(effects_.count());
  if (n >= 2) {
    const double chance = kNineteenOfTwenty * effects_.deviation() / std::sqrt(n);
    const double reach = effects_.half_width(rule_.alpha) + chance;
    result.minimum_detectable = std::expm1(std::log1p(rule_.margin) + deviation_bound(n) * reach);
  }
  result.p_regressed = std::exp(-strongest_regressed_);
  result.p_improved = std::exp(-strongest_improved_);
  result.processes = static_cast<int>(effects_.count());
  result.pairs = pairs_;
  result.within_deviation = n > 0 ? std::sqrt(pair_variances_ / n) : 0;
  result.block_deviation = n > 0 ? std::sqrt(std::max(0.0, block_variances_ / n)) : 0;
  result.between_deviation = std::sqrt(between_variance());
  result.spent = spent_;
  return result;
}

}  // namespace fuselab
