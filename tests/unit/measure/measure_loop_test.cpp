// SPDX-License-Identifier: Apache-2.0
#include "core/measure/loop/measure_loop.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>

namespace fuselab {
namespace {

// A scripted device: each plan's n-th run takes what its function says; all calls are written down.
struct Script {
  explicit Script(std::vector<std::function<double(int run)>> given) : plans(std::move(given)) {}

  std::vector<std::function<double(int run)>> plans;
  std::vector<int> runs = std::vector<int>(16, 0);
  std::vector<std::pair<int, int>> calls;  // (plan, repetitions)
  std::vector<int> flushes;                // position in calls at which caches were flushed
  std::function<void()> on_call;

  MeasureCalls measure_calls() {
    MeasureCalls made;
    made.time = [this](int plan, int repetitions) -> Result<Timing> {
      calls.emplace_back(plan, repetitions);
      if (on_call) on_call();
      double total = 0;
      const auto place = static_cast<std::size_t>(plan);
      for (int i = 0; i < repetitions; ++i) {
        const double one = plans[place](runs[place]++);
        if (one < 0) return Error{ErrorCode::kLaunchFailed, "scripted"};
        total += one;
      }
      return Timing{{total}, TimingSource::kSynthetic};
    };
    made.flush = [this](int) -> Status {
      flushes.push_back(static_cast<int>(calls.size()));
      return {};
    };
    return made;
  }
  std::vector<SampleSeries> measure(const Protocol& protocol, std::stop_token stop = {}) {
    return measure_interleaved(static_cast<int>(plans.size()), protocol, measure_calls(), std::move(stop));
  }
};

auto constant(double nanoseconds) {
  return [nanoseconds](int) { return nanoseconds; };
}

TEST(MeasureLoop, RaisesInnerRepetitionsUntilASampleIsLongEnough) {
  Script script({constant(1'000), constant(1'000'000)});
  Protocol protocol;
  protocol.drop_factor = 0;
  const auto series = script.measure(protocol);
  EXPECT_GE(series[0].inner_repetitions, 200);
  EXPECT_LE(series[0].inner_repetitions, 260);
  EXPECT_EQ(series[1].inner_repetitions, 1);
  for (const double sample : series[0].samples) EXPECT_DOUBLE_EQ(sample, 1'000);  // per run, whatever the repetitions
  EXPECT_EQ(series[0].samples.size(), 15U);
  EXPECT_EQ(series[0].end, SeriesEnd::kComplete);
  EXPECT_EQ(series[0].source, TimingSource::kSynthetic);
}

TEST(MeasureLoop, WarmsUpUntilRunsStopChanging) {
  Script script({[](int run) { return run < 9 ? 1e6 * (10 - run) : 1e6; }});
  const auto series = script.measure(Protocol{});
  EXPECT_GE(series[0].warmup_runs, 10);
  EXPECT_LE(series[0].warmup_runs, 12);
  EXPECT_DOUBLE_EQ(*std::max_element(series[0].samples.begin(), series[0].samples.end()), 1e6);
}

TEST(MeasureLoop, GivesUpWarmingANoisyPlanAtTenTimesTheMinimum) {
  Script script({[](int run) { return run % 2 == 0 ? 1e6 : 2e6; }});
  Protocol protocol;
  protocol.warmup = 2;
  protocol.budget = {1e12};
  EXPECT_EQ(script.measure(protocol)[0].warmup_runs, 20);
}

TEST(MeasureLoop, InterleavesInBalancedSeededOrders) {
  Script script({constant(1e6), constant(1e6), constant(1e6), constant(1e6)});
  Protocol protocol;
  protocol.samples = 20;
  const auto first = script.measure(protocol);
  const std::vector<std::pair<int, int>> calls(script.calls.end() - 80, script.calls.end());
  std::map<std::vector<int>, int> orders;
  for (std::size_t round = 0; round < 20; ++round) {
    std::vector<int> order;
    for (std::size_t i = 0; i < 4; ++i) order.push_back(calls[4 * round + i].first);
    ++orders[order];
    std::sort(order.begin(), order.end());
    EXPECT_EQ(order, (std::vector<int>{0, 1, 2, 3}));  // every plan once a round
  }
  EXPECT_GT(orders.size(), 5U);
  Script again(script.plans);
  again.measure(protocol);
  EXPECT_EQ(again.calls, script.calls);
  protocol.order_seed = 2;
  Script other(script.plans);
  other.measure(protocol);
  EXPECT_NE(other.calls, script.calls);
}

// Two values in turn: whatever the number of samples, half the interval is a twentieth of the median.
auto scattered(double nanoseconds) {
  return [nanoseconds](int run) { return nanoseconds * (run % 2 == 0 ? 0.95 : 1.05); };
}

TEST(MeasureLoop, GoesOnWithAllPlansWhileOneMedianIsNotKnown) {
  Script script({constant(1e6), scattered(1e6)});
  const auto series = script.measure(Protocol{});
  EXPECT_EQ(series[0].samples.size(), 120U) << "they pair up by round";
  EXPECT_EQ(series[1].samples.size(), 120U);
  EXPECT_EQ(series[1].end, SeriesEnd::kComplete);
}

TEST(MeasureLoop, GoesOnNoFurtherThanItMayOrAQuarterOfTheBudgetLasts) {
  Protocol protocol;
  protocol.most_samples = 40;
  EXPECT_EQ(Script({scattered(1e6)}).measure(protocol)[0].samples.size(), 30U);
  protocol = {};
  protocol.budget = {4 * 80e6};
  EXPECT_EQ(Script({scattered(1e6)}).measure(protocol)[0].samples.size(), 30U) << "30 and the warm-up fit, 60 do not";
  protocol.precision = 0.06;
  EXPECT_EQ(Script({scattered(1e6)}).measure(protocol)[0].samples.size(), 15U);
}

TEST(MeasureLoop, CallsBeforeTheFirstRoundAndAfterEach) {
  Script script({constant(1e6), constant(1e6)});
  Protocol protocol;
  protocol.samples = 6;
  MeasureCalls calls = script.measure_calls();
  std::vector<std::size_t> sampled;  // calls of each pause's time
  calls.between_rounds = [&] { sampled.push_back(script.calls.size()); };
  measure_interleaved(2, protocol, calls, {});
  ASSERT_EQ(sampled.size(), 7U);
  EXPECT_EQ(sampled.front(), script.calls.size() - 12) << "the warm-up is over";
  for (std::size_t i = 1; i < sampled.size(); ++i) EXPECT_EQ(sampled[i], sampled[i - 1] + 2);
}

TEST(MeasureLoop, DropsSlowPlansAfterThreeRoundsAndHopelessOnesAfterOne) {
  Script script({constant(1e6), constant(1.4e6), constant(1.6e6), constant(7e6)});
  Protocol protocol;
  protocol.drop_factor = 1.5;
  const auto series = script.measure(protocol);
  EXPECT_EQ(series[0].end, SeriesEnd::kComplete);
  EXPECT_EQ(series[1].end, SeriesEnd::kComplete);
  EXPECT_EQ(series[2].end, SeriesEnd::kDropped);
  EXPECT_EQ(series[2].samples.size(), 3U);
  EXPECT_DOUBLE_EQ(series[2].slowdown, 1.6);
  EXPECT_EQ(series[3].end, SeriesEnd::kDropped);
  EXPECT_EQ(series[3].samples.size(), 1U);
}

TEST(MeasureLoop, DropsNothingForAFewRunsThatMetTheLoadOfOthers) {
  // Its second and third sample stood still for milliseconds, as when another process has the core.
  const auto stalled = [](int run) { return run == 4 || run == 5 ? 40e6 : 1.2e6; };
  Script script({constant(1e6), stalled});
  Protocol protocol;
  protocol.drop_factor = 1.5;
  const auto series = script.measure(protocol);
  EXPECT_EQ(series[1].end, SeriesEnd::kComplete) << series[1].slowdown;
  EXPECT_EQ(std::count(series[1].samples.begin(), series[1].samples.end(), 40e6), 2);
  EXPECT_DOUBLE_EQ(series[1].fastest, 1.2e6);
}

TEST(MeasureLoop, DropsNothingBeforeThreeRuns) {
  Script script({constant(1e6), constant(40e6)});
  Protocol protocol;
  protocol.mode = CacheMode::kFirstLaunch;  // without a warm-up
  const auto series = script.measure(protocol);
  EXPECT_EQ(series[1].end, SeriesEnd::kDropped);
  EXPECT_EQ(series[1].samples.size(), 3U);
}

TEST(MeasureLoop, DropsWhatIsSlowBesideTheBestOfEarlierBlocks) {
  Script script({constant(1e6), constant(1.4e6)});
  Protocol protocol;
  protocol.best_before = {0.8e6};
  const auto series = script.measure(protocol);
  EXPECT_EQ(series[0].end, SeriesEnd::kComplete);
  EXPECT_EQ(series[1].end, SeriesEnd::kDropped);
  EXPECT_DOUBLE_EQ(series[1].slowdown, 1.75);
}

TEST(MeasureLoop, NeverDropsWhenAskedNotTo) {
  Script script({constant(1e6), constant(90e6)});
  Protocol protocol;
  protocol.drop_factor = 0;
  EXPECT_EQ(script.measure(protocol)[1].end, SeriesEnd::kComplete);
}

TEST(MeasureLoop, StopsAtTheBudgetButNotBelowFiveSamples) {
  Script script({constant(1e9)});
  Protocol protocol;
  protocol.budget = {2e9};
  const auto series = script.measure(protocol);
  EXPECT_EQ(series[0].end, SeriesEnd::kBudget);
  EXPECT_EQ(series[0].samples.size(), 5U);
  EXPECT_EQ(series[0].warmup_runs, 1);
}

TEST(MeasureLoop, ColdSamplesAreSingleRunsEachAfterAFlush) {
  Script script({constant(1'000), constant(1'100)});
  Protocol protocol;
  protocol.mode = CacheMode::kCold;
  const auto series = script.measure(protocol);
  EXPECT_EQ(series[0].inner_repetitions, 1);
  EXPECT_EQ(script.flushes.size(), script.calls.size());
  for (std::size_t i = 0; i < script.flushes.size(); ++i) EXPECT_EQ(script.flushes[i], static_cast<int>(i));
  for (const auto& [plan, repetitions] : script.calls) EXPECT_EQ(repetitions, 1);
}

// Many launches between two readings of the clock, as many as the buffers allow; nothing is flushed.
TEST(MeasureLoop, RotatingSamplesHaveAsManyRepetitionsAsFit) {
  Script script({constant(1'000), constant(1'000'000)});
  Protocol protocol;
  protocol.mode = CacheMode::kRotating;
  protocol.drop_factor = 0;
  MeasureCalls calls = script.measure_calls();
  calls.fitting = [](int plan, int repetitions) { return plan == 0 ? (repetitions + 63) / 64 * 64 : repetitions; };
  const auto series = measure_interleaved(2, protocol, calls, {});
  EXPECT_EQ(series[0].inner_repetitions, 256);
  EXPECT_EQ(series[1].inner_repetitions, 1);
  for (const double sample : series[0].samples) EXPECT_DOUBLE_EQ(sample, 1'000);
  EXPECT_TRUE(script.flushes.empty());
}

TEST(MeasureLoop, FirstLaunchesAreNeverWarmedUp) {
  Script script({constant(1'000)});
  Protocol protocol;
  protocol.mode = CacheMode::kFirstLaunch;
  const auto series = script.measure(protocol);
  EXPECT_EQ(series[0].warmup_runs, 0);
  EXPECT_EQ(script.calls.size(), 15U);
  EXPECT_TRUE(script.flushes.empty());
}

TEST(MeasureLoop, AFailingPlanLeavesTheOthersAlone) {
  Script script({constant(1e6), [](int run) { return run < 6 ? 1e6 : -1; }, [](int) { return -1.0; }});
  const auto series = script.measure(Protocol{});
  EXPECT_EQ(series[0].end, SeriesEnd::kComplete);
  EXPECT_EQ(series[1].end, SeriesEnd::kFailed);
  EXPECT_FALSE(series[1].samples.empty());
  EXPECT_EQ(series[2].end, SeriesEnd::kFailed);
  EXPECT_EQ(series[2].error->code, ErrorCode::kLaunchFailed);
}

TEST(MeasureLoop, StopsWithinOneCall) {
  Script script({constant(1e6), constant(1e6)});
  std::stop_source stop;
  int calls = 0;
  script.on_call = [&] {
    if (++calls == 12) stop.request_stop();
  };
  const auto series = script.measure(Protocol{}, stop.get_token());
  EXPECT_EQ(script.calls.size(), 12U);
  EXPECT_EQ(series[0].end, SeriesEnd::kCancelled);
}

TEST(MeasureLoop, SurvivesAClockThatStandsStill) {
  Script script({constant(0)});
  const auto series = script.measure(Protocol{});
  EXPECT_EQ(series[0].end, SeriesEnd::kComplete);
  EXPECT_EQ(series[0].samples.size(), 15U);
}

}  // namespace
}  // namespace fuselab
