// SPDX-License-Identifier: Apache-2.0
#include "core/measure/loop/measure_loop.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "core/base/random.h"
#include "core/measure/loop/round_order.h"
#include "core/measure/loop/series_looks.h"

namespace fuselab {
namespace {

constexpr double kPlateau = 0.05;
constexpr int kWarmupLimit = 10;             // × protocol.warmup
constexpr double kWarmupBudgetShare = 0.25;  // of the plan's budget: a slow plan needs its time for samples
// Sampling takes this share of each plan's budget: where medians scatter, a model of many slow pieces would otherwise take several
// times as long.
constexpr double kSamplingBudgetShare = 0.25;
constexpr int kMaximumRepetitions = 1'000'000;
constexpr double kGrowth = 16;  // at most per step: one lucky short reading must not ask for a million runs

// Repetitions that should make a sample last `wanted`, from one that lasted `lasted`.
int raised(int repetitions, double lasted, double wanted) {
  const double factor = lasted > 0 ? std::min(kGrowth, 1.1 * wanted / lasted) : kGrowth;
  const double target = std::ceil(static_cast<double>(repetitions) * factor);
  return static_cast<int>(std::min(target, static_cast<double>(kMaximumRepetitions)));
}

class Loop {
 public:
  Loop(int count, const Protocol& protocol, const MeasureCalls& calls, std::stop_token stop)
      : protocol_(protocol),
        calls_(calls),
        stop_(std::move(stop)),
        series_(static_cast<std::size_t>(count)),
        runs_(series_.size()),
        active_(series_.size()) {
    std::iota(active_.begin(), active_.end(), std::size_t{0});
  }

  std::vector<SampleSeries> run() {
    for (const std::size_t plan : std::vector(active_)) warm_up(plan);
    SeededRandom random(protocol_.order_seed);
    std::optional<RoundOrder> order;
    between_rounds();
    int rounds = protocol_.samples;
    for (int round = 0; round < rounds && !active_.empty(); ++round) {
      if (!order || order->count() != active_.size()) order.emplace(active_.size(), random);
      for (const std::size_t plan : in_order(order->next())) {
        if (stop_.stop_requested()) return std::move(series_);
        sample(plan);
      }
      between_rounds();
      drop_slow(round + 1);
      retire_spent();
      if (round + 1 == rounds) rounds = rounds_after_a_look(rounds);
    }
    for (const std::size_t plan : active_) series_[plan].end = SeriesEnd::kComplete;
    return std::move(series_);
  }

 private:
  // Cold and first-launch samples are single runs by definition, and a warm-up would be undone before each.
  bool repeats() const { return protocol_.mode == CacheMode::kWarm || protocol_.mode == CacheMode::kRotating; }

  void between_rounds() const {
    if (calls_.between_rounds) calls_.between_rounds();
  }

  void retire(std::size_t plan, SeriesEnd end) {
    series_[plan].end = end;
    std::erase(active_, plan);
  }

  // One timed call; nothing when it failed (the plan is retired then). Gives ns per run.
  std::optional<double> time_once(std::size_t plan, int repetitions) {
    SampleSeries& series = series_[plan];
    Status flushed;
    if (protocol_.mode == CacheMode::kCold) flushed = calls_.flush(static_cast<int>(plan));
    const Result<Timing> timing = flushed.ok() ? calls_.time(static_cast<int>(plan), repetitions) : Result<Timing>(flushed.error());
    if (!timing.ok()) {
      series.error = timing.error();
      retire(plan, SeriesEnd::kFailed);
      return std::nullopt;
    }
    series.source = timing.value().source;
    series.spent.count += timing.value().duration.count;
    const double run = timing.value().duration.count / repetitions;
    series.fastest = runs_[plan]++ == 0 ? run : std::min(series.fastest, run);
    return run;
  }

  void warm_up(std::size_t plan) {
    SampleSeries& series = series_[plan];
    if (protocol_.mode == CacheMode::kFirstLaunch) return;
    double before = 0;
    int steady_runs = 0;  // since the repetitions were last raised
    while (!stop_.stop_requested()) {
      const int repetitions = series.inner_repetitions;
      const std::optional<double> run = time_once(plan, repetitions);
      if (!run) return;
      ++series.warmup_runs;
      const double lasted = *run * repetitions;
      if (repeats() && lasted < protocol_.min_sample.count && repetitions < kMaximumRepetitions) {
        const int wanted = raised(repetitions, lasted, protocol_.min_sample.count);
        series.inner_repetitions = calls_.fitting ? calls_.fitting(static_cast<int>(plan), wanted) : wanted;
        runs_[plan] = 0;
        steady_runs = 0;
        continue;
      }
      const bool plateau = steady_runs > 0 && std::fabs(*run - before) <= kPlateau * before;
      before = *run;
      ++steady_runs;
      if (plateau && series.warmup_runs >= protocol_.warmup) return;
      if (steady_runs >= kWarmupLimit * std::max(1, protocol_.warmup)) return;
      if (series.spent.count > kWarmupBudgetShare * protocol_.budget.count) return;
    }
  }

  void sample(std::size_t plan) {
    const std::optional<double> run = time_once(plan, series_[plan].inner_repetitions);
    if (run) series_[plan].samples.push_back(*run);
  }

  void drop_slow(int rounds) {
    if (protocol_.drop_factor <= 0 || rounds > kDropAfter) return;
    double best = protocol_.best_before.count > 0 ? protocol_.best_before.count : std::numeric_limits<double>::infinity();
    for (const std::size_t plan : active_) best = std::min(best, series_[plan].fastest);
    const double limit = protocol_.drop_factor * (rounds < kDropAfter ? kHopeless : 1.0);
    for (const std::size_t plan : std::vector(active_)) {
      const double fastest = series_[plan].fastest;
      if (runs_[plan] < kLeastRuns || fastest <= limit * best) continue;
      series_[plan].slowdown = best > 0 ? fastest / best : limit;
      retire(plan, SeriesEnd::kDropped);
    }
  }

  void retire_spent() {
    for (const std::size_t plan : std::vector(active_)) {
      const SampleSeries& series = series_[plan];
      if (static_cast<int>(series.samples.size()) >= kMinimumSamples && series.spent.count >= protocol_.budget.count &&
          static_cast<int>(series.samples.size()) < protocol_.samples) {
        retire(plan, SeriesEnd::kBudget);
      }
    }
  }

  // Either all plans go on or none: what is sampled in rounds pairs up by round.
  int rounds_after_a_look(int rounds) const {
    const int more = next_look(rounds, protocol_);
    bool precise = true, affordable = true;
    for (const std::size_t plan : active_) {
      const SampleSeries& series = series_[plan];
      precise = precise && is_precise(series.samples, protocol_.precision);
      const double sampled = std::accumulate(series.samples.begin(), series.samples.end(), 0.0) * series.inner_repetitions;
      const double expected = series.spent.count + sampled * (more - rounds) / rounds;
      affordable = affordable && expected <= kSamplingBudgetShare * protocol_.budget.count;
    }
    return precise || !affordable ? rounds : more;
  }

  std::vector<std::size_t> in_order(const std::vector<std::size_t>& places) const {
    std::vector<std::size_t> plans;
    for (const std::size_t place : places) plans.push_back(active_[place]);
    return plans;
  }

  const Protocol& protocol_;
  const MeasureCalls& calls_;
  std::stop_token stop_;
  std::vector<SampleSeries> series_;
  std::vector<int> runs_;            // timed with the repetitions that each plan has now
  std::vector<std::size_t> active_;  // plans still being measured
};

}  // namespace

std::vector<SampleSeries> measure_interleaved(int count, const Protocol& protocol, const MeasureCalls& calls,
                                              std::stop_token stop) {
  return Loop(count, protocol, calls, std::move(stop)).run();
}

}  // namespace fuselab
