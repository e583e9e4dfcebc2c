// SPDX-License-Identifier: Apache-2.0
// Every bound is found from facts in which it is the reason, and only as sure as its evidence.
#include <gmock/gmock.h>

#include "tests/unit/profiler/profile_facts.h"

namespace fuselab::profile {
namespace {

using testing::HasSubstr;

TEST(Verdicts, StreamsAtTheCeilingAreBoundByMemory) {
  ProfileFacts facts(kLargeSum);
  const BoundVerdict verdict = facts.verdict(2.7e6);
  EXPECT_EQ(verdict.bound, Bound::kMemory);
  EXPECT_EQ(verdict.certainty, Certainty::kLikely) << "one kind of evidence alone";
  EXPECT_THAT(verdict.text, HasSubstr("No hardware counter was read"));
  EXPECT_THAT(verdict.text, HasSubstr("20.0 GB/s"));
  ASSERT_FALSE(verdict.look_at.empty());
}

TEST(Verdicts, ASweepThatAgreesMakesItSureAndOneThatDoesNotTakesItBack) {
  ProfileFacts facts(kLargeSum);
  const double bytes = 48 * 1048576;
  facts.sweep.points = {{"as it is", 2.7e6, 0, 0, bytes, 0, 2, "memory", ""}, {"n=4096", 0.27e6, 0, 0, bytes / 4, 0, 2, "L3", ""}};
  EXPECT_EQ(facts.verdict(2.7e6).certainty, Certainty::kSure);
  facts.sweep.points[1].median_ns = 0.675e6;  // a byte takes as long
  const BoundVerdict doubted = facts.verdict(2.7e6);
  EXPECT_EQ(doubted.certainty, Certainty::kWeak);
  EXPECT_THAT(doubted.text, HasSubstr("do not make it faster"));
}

TEST(Verdicts, CountersThatAgreeMakeItSure) {
  ProfileFacts facts(kLargeSum);
  facts.counters.rung = "top-down";
  facts.counters.metrics = {{"memory_bytes", 50e6, "", "t", 1, false},
                            {"topdown_memory_bound", 0.75, "", "t", 1, false},
                            {"topdown_retiring", 0.15, "", "t", 1, false}};
  const BoundVerdict verdict = facts.verdict(2.9e6);
  EXPECT_EQ(verdict.bound, Bound::kMemory);
  EXPECT_THAT(verdict.text, HasSubstr("75 % of the slots waited for memory"));
  EXPECT_THAT(verdict.text, testing::Not(HasSubstr("No hardware counter")));
}

TEST(Verdicts, DataInACacheAreBoundByTheCache) {
  ProfileFacts facts(kSmallSum);
  const BoundVerdict verdict = facts.verdict(2.2e3);
  EXPECT_EQ(verdict.bound, Bound::kCache);
  EXPECT_EQ(verdict.where, "L2");
}

TEST(Verdicts, DataThatNoCacheHeldComeFromMemoryWhateverTheirSize) {
  ProfileFacts facts(kSmallSum);
  facts.counters.rung = "top-down";
  facts.counters.metrics = {{"topdown_retiring", 0.95, "", "t", 1, false}, {"memory_bytes", 1, "", "t", 1, false}};
  for (const CacheMode mode : {CacheMode::kCold, CacheMode::kRotating}) {
    facts.mode = mode;
    const BoundVerdict verdict = facts.verdict(384 * 1024 / 20e9 * 1e9 / 0.9);
    EXPECT_EQ(verdict.bound, Bound::kMemory) << name_of(mode);
    EXPECT_THAT(verdict.text, HasSubstr("its data come from memory, whatever their size"));
    EXPECT_THAT(verdict.text, HasSubstr("393 KB (compulsory) through memory"));
    EXPECT_THAT(verdict.text, testing::Not(HasSubstr("slots"))) << "counters are of warm launches";
  }
  facts.mode = CacheMode::kFirstLaunch;
  EXPECT_THAT(facts.verdict(1e9).text, HasSubstr("measured at the first launch"));
}

TEST(Verdicts, ArithmeticAtItsPeakIsBoundByPorts) {
  ProfileFacts facts(kProduct);
  const BoundVerdict verdict = facts.verdict(2.0 * 256 * 256 * 256 / 200e9 * 1e9 / 0.9);
  EXPECT_EQ(verdict.bound, Bound::kPorts);
  EXPECT_THAT(verdict.text, HasSubstr("90 % of the time"));
}

TEST(Verdicts, AChainOfResultsIsBoundByLatency) {
  ProfileFacts facts(kProduct);
  LoopReport& loop = facts.add_loop();
  loop.flops = 16;
  loop.prediction = LoopPrediction{"llvm-mca 14", "znver3", 4, 1, 1.5, 0.8, 0, "Zn3FPP0", 1};
  facts.clock(4e9);
  const double passes = 2.0 * 256 * 256 * 256 / 16;
  const double predicted = passes * 4 / 4e9 * 1e9 / 2;
  const BoundVerdict verdict = facts.verdict(predicted / 0.95);
  EXPECT_EQ(verdict.bound, Bound::kLatency);
  EXPECT_THAT(verdict.text, HasSubstr("results are waited for"));
  facts.code.loops[0].prediction->reciprocal_throughput = 4;
  EXPECT_EQ(facts.verdict(predicted / 0.95).bound, Bound::kPorts) << "the same cycles, but its units take them";
}

TEST(Verdicts, AModelOfAnotherProcessorNamesNoUnitAndOneThatTakesLongerThanTheKernelDecidesNothing) {
  ProfileFacts facts(kProduct);
  LoopReport& loop = facts.add_loop();
  loop.flops = 16;
  loop.prediction = LoopPrediction{"llvm-mca 14", "icelake-server", 4, 4, 1.5, 0, 0.8, "ICXPort0", 4, true};
  facts.clock(4e9);
  const double predicted = 2.0 * 256 * 256 * 256 / 16 * 4 / 4e9 * 1e9 / 2;
  const BoundVerdict near = facts.verdict(predicted / 0.95);
  EXPECT_EQ(near.bound, Bound::kPorts);
  EXPECT_EQ(near.where, "");
  EXPECT_THAT(near.text, HasSubstr("icelake-server, which stands in for this CPU"));
  const BoundVerdict refuted = facts.verdict(predicted / 2);
  EXPECT_THAT(refuted.text, HasSubstr("200 % of the time, which refutes the model"));
  EXPECT_LT(refuted.findings.front().share, 1);
}

TEST(Verdicts, WhatRemainsWhereDataAreNearIsExecutionOnlyIfTheCodeCanTakeThatLong) {
  ProfileFacts facts(kLargeSum);
  const double bytes = 48 * 1048576;
  facts.sweep.points = {{"as it is", 3e6, 0, 0, bytes, 0, 2, "memory", ""}, {"n=16384", 9e3, 0, 0, bytes / 256, 0, 2, "L2", ""}};
  LoopReport& loop = facts.add_loop();
  loop.flops = 16;
  loop.loaded_bytes = 128;
  loop.stored_bytes = 64;
  loop.prediction = LoopPrediction{"llvm-mca 22", "znver5", 80, 80, 1, 0, 0.8, "Zn5FP1", 80, false};
  facts.clock(4e9);
  const BoundVerdict slow = facts.verdict(3e6);
  EXPECT_EQ(slow.bound, Bound::kPorts);
  EXPECT_THAT(slow.text, HasSubstr("at n=16384, which lies in L2"));
  EXPECT_THAT(slow.text, HasSubstr("Next: memory (memory), 84 %, so that relieving the first alone gains at most 16 %"));
  facts.code.loops[0].prediction->cycles = 4;
  EXPECT_NE(facts.verdict(3e6).bound, Bound::kPorts) << "something else makes the small one slow";
}

TEST(Verdicts, AnEmptyLaunchOfTheSameLengthIsBoundByLaunching) {
  ProfileFacts facts("graph(a: f32[64], b: f32[64]) { y = Add(a, b); return y }");
  EXPECT_EQ(facts.verdict(1200).bound, Bound::kLaunch);
}

TEST(Verdicts, IdleProcessorsAreTooFewThreads) {
  ProfileFacts facts(kProduct);
  facts.threads = 1;
  facts.levels = cache_levels(facts.target, 1);
  facts.sweep.points = {{"as it is", 4e6, 0, 0, 1, 0, 1, "L3", ""}, {"threads=2", 2.05e6, 0, 0, 1, 0, 2, "L3", ""}};
  const BoundVerdict verdict = facts.verdict(4e6);
  EXPECT_EQ(verdict.bound, Bound::kThreads);
  EXPECT_THAT(verdict.text, HasSubstr("0.51× the time"));
  facts.sweep.points[1].median_ns = 4.1e6;
  EXPECT_NE(facts.verdict(4e6).bound, Bound::kThreads) << "more threads were tried and did not help";
}

TEST(Verdicts, ALoopThatIsHalfSpillsIsBoundBySpills) {
  ProfileFacts facts(kProduct);
  LoopReport& loop = facts.add_loop();
  loop.spill_loads = 6;
  loop.spill_stores = 5;
  const BoundVerdict verdict = facts.verdict(1e8);
  EXPECT_EQ(verdict.bound, Bound::kSpills);
  EXPECT_THAT(verdict.text, HasSubstr("stores 5 registers to the stack and loads 6 back"));
}

TEST(Verdicts, WhatNoRuleExplainsIsUnclear) {
  ProfileFacts facts(kSmallSum);
  const BoundVerdict verdict = facts.verdict(1e6);
  EXPECT_EQ(verdict.bound, Bound::kUnclear);
  EXPECT_EQ(verdict.certainty, Certainty::kWeak);
  EXPECT_THAT(verdict.text, HasSubstr("No rule explains most of the time"));
}

TEST(Verdicts, WithoutATimeNothingIsCompared) {
  ProfileFacts facts(kLargeSum);
  EXPECT_THAT(facts.verdict(0).text, HasSubstr("Its time is not known"));
}

}  // namespace
}  // namespace fuselab::profile
