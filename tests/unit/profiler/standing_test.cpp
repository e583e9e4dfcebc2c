// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "profiler/verdict/loop_passes.h"
#include "tests/unit/profiler/profile_facts.h"

namespace fuselab::profile {
namespace {

TEST(CacheLevels, PrivateCachesCountForEveryThreadAndMemoryIsLast) {
  Target target;
  target.limits = {{"l1_bytes", 32 << 10}, {"l2_bytes", 1 << 20}, {"l3_bytes", 32 << 20}, {"last_caches", 2}};
  const auto levels = cache_levels(target, 4);
  ASSERT_EQ(levels.size(), 4U);
  EXPECT_EQ(levels[0].capacity.count, 128 << 10);
  EXPECT_EQ(levels[1].capacity.count, 4 << 20);
  EXPECT_EQ(levels[2].capacity.count, 64 << 20);
  EXPECT_EQ(levels[3].name, "memory");
  for (std::size_t i = 0; i + 1 < levels.size(); ++i) EXPECT_LE(levels[i].probe.count, levels[i].capacity.count);
  EXPECT_EQ(level_of(levels, {100 << 10}).name, "L1");
  EXPECT_EQ(level_of(levels, {129 << 10}).name, "L2");
  EXPECT_EQ(level_of(levels, {1 << 30}).name, "memory");
}

TEST(CacheLevels, ALevelThatItsNeighbourSwallowsAndAnUnknownOneAreLeftOut) {
  Target target;
  target.limits = {{"l1_bytes", 32 << 10}, {"l2_bytes", 32 << 10}};
  const auto levels = cache_levels(target, 1);
  ASSERT_EQ(levels.size(), 2U);
  EXPECT_EQ(cache_levels(Target(), 1).size(), 1U);
}

TEST(Standings, CompulsoryBytesPassTheLevelThatHoldsThem) {
  ProfileFacts facts(kLargeSum);
  const Standing standing = facts.standing(3e6);
  ASSERT_EQ(standing.levels.size(), 4U);
  const RooflineLevel& memory = standing.levels.back();
  EXPECT_TRUE(memory.holds_working_set);
  EXPECT_EQ(memory.source, "compulsory");
  EXPECT_NEAR(memory.ns, 48 * 1048576 / 20e9 * 1e9, 1);
  EXPECT_NEAR(memory.share, 0.839, 0.001);
  EXPECT_NEAR(standing.compute_ns, 4194304 / 200e9 * 1e9, 1);
  EXPECT_NEAR(standing.launch_ns, 1000, 1e-6);
}

TEST(Standings, ALevelBeyondTheWorkingSetSeesNothing) {
  ProfileFacts facts(kSmallSum);
  const Standing standing = facts.standing(1e5);
  ASSERT_EQ(standing.levels.size(), 4U) << "their roofs are limits of the device all the same";
  EXPECT_EQ(standing.levels[1].level, "L2");
  EXPECT_TRUE(standing.levels[1].holds_working_set);
  const RooflineLevel& memory = standing.levels.back();
  EXPECT_EQ(memory.level, "memory");
  EXPECT_GT(memory.bytes_per_second, 0);
  EXPECT_EQ(memory.bytes, 0);
  EXPECT_EQ(memory.share, 0);
}

TEST(Standings, AnUnknownTimeGivesNoShare) {
  ProfileFacts facts(kLargeSum);
  const Standing standing = facts.standing(0);
  EXPECT_EQ(standing.levels.back().share, 0);
  EXPECT_GT(standing.levels.back().ns, 0);
}

TEST(Standings, ANearLevelIsNeverSlowerThanOneBeyondIt) {
  ProfileFacts facts(kLargeSum);
  facts.ceilings.rows[0].per_second = 50e9;  // streams so short that starting them shows
  EXPECT_EQ(facts.standing(3e6).levels[0].bytes_per_second, 200e9);
}

TEST(Standings, CountedBytesReplaceTheGraphs) {
  ProfileFacts facts(kLargeSum);
  facts.counters.metrics.push_back({"memory_bytes", 60e6, "", "test", 1, false});
  const Standing standing = facts.standing(4e6);
  EXPECT_EQ(standing.levels.back().source, "counted");
  EXPECT_NEAR(standing.levels.back().ns, 3e6, 1);
}

TEST(Standings, WhatPassesL1FollowsFromTheCode) {
  ProfileFacts facts(kProduct);
  LoopReport& loop = facts.add_loop();
  loop.flops = 320;
  loop.loaded_bytes = 104;
  const Standing standing = facts.standing(1e6);
  EXPECT_EQ(standing.levels[0].source, "code");
  EXPECT_NEAR(standing.levels[0].bytes, 2.0 * 256 * 256 * 256 / 320 * 104, 1);
}

TEST(Standings, WithoutCeilingsThereIsAReason) {
  ProfileFacts facts(kLargeSum);
  facts.ceilings.rows.clear();
  EXPECT_FALSE(facts.standing(1e6).why_no_levels.empty());
}

TEST(LoopPassCounts, ArithmeticDecidesForContractionsAndTrafficForTheRest) {
  LoopReport loop;
  loop.flops = 16;
  loop.loads = 2;
  loop.loaded_bytes = 64;
  loop.stores = 2;
  loop.stored_bytes = 64;
  loop.spill_stores = 1;
  const ProfileFacts sum(kSmallSum), product(kProduct);
  EXPECT_NEAR(passes_through(loop, sum.graph, sum.cost)->passes, 32768 * 4 / 32.0, 1e-9) << "a spilled register is no result";
  EXPECT_NEAR(passes_through(loop, product.graph, product.cost)->passes, 2.0 * 256 * 256 * 256 / 16, 1e-9);
  loop.stores = loop.stored_bytes = loop.spill_stores = 0;
  EXPECT_EQ(passes_through(loop, sum.graph, sum.cost)->from, "what it reads");
  EXPECT_FALSE(passes_through(LoopReport(), sum.graph, sum.cost));
}

}  // namespace
}  // namespace fuselab::profile
