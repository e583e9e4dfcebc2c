// SPDX-License-Identifier: Apache-2.0
#include "core/measure/timer_cost.h"

#include <gtest/gtest.h>

#include <limits>
#include <vector>

#include "core/measure/plan.h"

namespace fuselab {
namespace {

std::vector<Timing> timings(const std::vector<double>& ns, TimingSource source = TimingSource::kDeviceEvents) {
  std::vector<Timing> all;
  for (const double each : ns) all.push_back({{each}, source});
  return all;
}

PlanResult lasting(double ns, int repetitions) {
  PlanResult result;
  result.samples = {ns, ns, ns};
  result.inner_repetitions = repetitions;
  result.source = TimingSource::kDeviceEvents;
  return result;
}

TEST(TimerCost, IsTheMedianAndTheLeastStepOfTimingsOfNothing) {
  const TimerCost cost = timer_cost(timings({1536, 2048, 1536, 1536, 9000, 2048, 1536}));
  EXPECT_EQ(cost.overhead.count, 1536);
  EXPECT_EQ(cost.resolution.count, 512);
  EXPECT_EQ(cost.timings, 7);
  EXPECT_EQ(cost.source, TimingSource::kDeviceEvents);
  EXPECT_EQ(timer_text(cost), "1.54 µs overhead (device-events clock, resolution 512 ns, 7 empty timings)");
}

TEST(TimerCost, OfAClockThatAlwaysSaysTheSameHasNoResolution) {
  const TimerCost cost = timer_cost(timings({20, 20, 20}));
  EXPECT_EQ(cost.overhead.count, 20);
  EXPECT_EQ(cost.resolution.count, 0);
  EXPECT_EQ(timer_text(cost), "20.0 ns overhead (device-events clock, 3 empty timings)");
}

TEST(TimerCost, IsUnknownWhereNothingOrNonsenseWasTimed) {
  EXPECT_EQ(timer_cost({}).timings, 0);
  EXPECT_EQ(timer_text(timer_cost({})), "unknown");
  for (const double nonsense : {-1.0, std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity()}) {
    const TimerCost cost = timer_cost(timings({20, nonsense}));
    EXPECT_EQ(cost.timings, 0) << nonsense;
    EXPECT_EQ(timer_text(cost), "unknown: the device returned an invalid time");
  }
  std::vector<Timing> mixed = timings({20});
  mixed.push_back({{20}, TimingSource::kHostWall});
  EXPECT_EQ(timer_cost(mixed).timings, 0) << "two clocks";
}

TEST(TimerCost, IsHeldAgainstAWholeSample) {
  const TimerCost cost = timer_cost(timings({25, 25, 26}));
  EXPECT_EQ(times_the_timer(cost, {25'000}), 1000);
  EXPECT_EQ(too_short_for_timer(cost, lasting(100, 250)), "") << "25 µs in all";
  EXPECT_EQ(too_short_for_timer(cost, lasting(4000, 1)), "a sample of 4.00 µs is 160 times its timer's 25.0 ns");
  EXPECT_EQ(too_short_for_timer(TimerCost{}, lasting(1, 1)), "") << "unknown";
  EXPECT_EQ(too_short_for_timer(cost, PlanResult{}), "") << "without samples";
  PlanResult elsewhere = lasting(4000, 1);
  elsewhere.source = TimingSource::kHostWall;
  EXPECT_EQ(too_short_for_timer(cost, elsewhere), "") << "read from another clock";
  const TimerCost coarse = timer_cost(timings({0, 0, 1000}));
  EXPECT_EQ(too_short_for_timer(coarse, lasting(1e5, 1)), "a sample of 100 µs is 100 times its timer's 1.00 µs")
      << "its resolution";
}

}  // namespace
}  // namespace fuselab
