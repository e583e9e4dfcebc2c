// SPDX-License-Identifier: Apache-2.0
#include "core/measure/disturbance.h"

#include <gtest/gtest.h>

namespace fuselab {
namespace {

BlockConditions conditions(double seconds) {
  BlockConditions quiet;
  quiet.wall_seconds = seconds;
  return quiet;
}

TEST(Disturbance, IsWhatTakesMoreThanItsShare) {
  BlockConditions some = conditions(2);
  some.steal_seconds = 0.019;
  some.involuntary_switches = 39;
  EXPECT_EQ(disturbance_in(some), "");
  some.steal_seconds = 0.03;
  EXPECT_EQ(disturbance_in(some), "30 ms stolen by the hypervisor, 39 involuntary context switches in 2.00 s");
  some.steal_seconds = 0;
  some.involuntary_switches = 41;
  EXPECT_EQ(disturbance_in(some), "0 ms stolen by the hypervisor, 41 involuntary context switches in 2.00 s");
}

TEST(Disturbance, IsNoSingleTickOrFewSwitchesOfAShortBlock) {
  BlockConditions brief = conditions(0.01);
  brief.steal_seconds = 0.01;
  brief.involuntary_switches = 5;
  EXPECT_EQ(disturbance_in(brief), "");
}

TEST(Disturbance, IsAQuotaThatWasUsedUp) {
  BlockConditions throttled = conditions(2);
  throttled.throttled_seconds = 0.05;
  EXPECT_EQ(
      disturbance_in(throttled),
      "0 ms stolen by the hypervisor, 50 ms throttled by the control group's quota, 0 involuntary context switches in 2.00 s");
}

TEST(Disturbance, OfPairsIsWhatItCostsNotHowOftenItHappens) {
  BlockConditions crowded = conditions(0.1);
  crowded.threads = 2;
  crowded.involuntary_switches = 40;
  EXPECT_EQ(disturbance_of_pairs(crowded), "");
  crowded.waited_seconds = 0.055;
  EXPECT_EQ(disturbance_of_pairs(crowded), "");
  crowded.steal_seconds = 0.03;
  EXPECT_EQ(disturbance_of_pairs(crowded),
            "too much lost in 100 ms on 2 threads: 30 ms stolen, 0 ms throttled, 55 ms waited for a CPU");
}

TEST(Disturbance, OfPairsIsFourFifthsOfOneClockForTwoAndForOne) {
  for (const int count : {0, 1, 2}) {
    BlockConditions crowded = conditions(1);
    crowded.threads = count;
    crowded.waited_seconds = 0.79;
    EXPECT_EQ(disturbance_of_pairs(crowded), "") << count;
    crowded.waited_seconds = 0.81;
    EXPECT_NE(disturbance_of_pairs(crowded), "") << count;
  }
}

TEST(Disturbance, OfPairsGrowsWithThreads) {
  BlockConditions crowded = conditions(1);
  crowded.threads = 16;
  crowded.waited_seconds = 1.1;  // two neighbours that never rest
  EXPECT_EQ(disturbance_of_pairs(crowded), "");
  crowded.waited_seconds = 16 * 0.45;  // one on each processor
  EXPECT_NE(disturbance_of_pairs(crowded), "");
  crowded.waited_seconds = 0;
  crowded.steal_seconds = 3;
  EXPECT_EQ(disturbance_of_pairs(crowded), "");
  crowded.steal_seconds = 16 * 0.45;
  EXPECT_NE(disturbance_of_pairs(crowded), "");
}

TEST(Disturbance, OfPairsCountsThrottlingThatIsWaitingOnce) {
  BlockConditions throttled = conditions(1);
  throttled.threads = 2;
  throttled.throttled_seconds = throttled.waited_seconds = 0.6;
  EXPECT_EQ(disturbance_of_pairs(throttled), "");
  throttled.throttled_seconds = 0.9;
  EXPECT_NE(disturbance_of_pairs(throttled), "");
}

TEST(Disturbance, StandsInTheReasonOfWhatWasTimed) {
  PlanResult timed, dropped, failed;
  timed.outcome = Outcome::kTimed;
  dropped.outcome = Outcome::kDropped;
  dropped.reason = "3 times as slow";
  failed.outcome = Outcome::kLaunchError;
  failed.reason = "no such kernel";
  for (PlanResult* const result : {&timed, &dropped, &failed}) {
    note_disturbance(*result, "");
    note_disturbance(*result, "this");
    note_disturbance(*result, "that");
  }
  EXPECT_EQ(timed.reason, "disturbed while timing: this; that");
  EXPECT_EQ(dropped.reason, "3 times as slow; disturbed while timing: this; that");
  EXPECT_EQ(failed.reason, "no such kernel");
}

}  // namespace
}  // namespace fuselab
