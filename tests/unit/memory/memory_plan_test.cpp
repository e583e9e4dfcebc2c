// SPDX-License-Identifier: Apache-2.0
#include "core/memory/memory_plan.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "core/base/random.h"

namespace fuselab {
namespace {

bool overlap(const std::vector<BufferLife>& lives, const MemoryPlan& plan, std::size_t a, std::size_t b) {
  const bool together = lives[a].first <= lives[b].last && lives[b].first <= lives[a].last;
  const std::int64_t end_a = plan.offsets[a] + std::max<std::int64_t>(lives[a].size.count, 1);
  const std::int64_t end_b = plan.offsets[b] + std::max<std::int64_t>(lives[b].size.count, 1);
  return together && plan.offsets[a] < end_b && plan.offsets[b] < end_a;
}

// The most that is needed in any one step, in whole units of the alignment.
std::int64_t most_at_once(const std::vector<BufferLife>& lives, int steps, std::int64_t alignment) {
  std::int64_t most = 0;
  for (int step = 0; step < steps; ++step) {
    std::int64_t sum = 0;
    for (const BufferLife& life : lives) {
      if (life.first <= step && step <= life.last)
        sum += (std::max<std::int64_t>(life.size.count, 1) + alignment - 1) / alignment * alignment;
    }
    most = std::max(most, sum);
  }
  return most;
}

TEST(MemoryPlan, NeverLetsTwoLiveBuffersOverlap) {
  constexpr int kSteps = 20;
  for (std::uint64_t seed = 1; seed <= 300; ++seed) {
    SeededRandom random(seed);
    std::vector<BufferLife> lives;
    const std::uint64_t count = 1 + random.below(60);
    for (std::uint64_t i = 0; i < count; ++i) {
      const int first = static_cast<int>(random.below(kSteps));
      const int last = first + static_cast<int>(random.below(static_cast<std::uint64_t>(kSteps - first)));
      lives.push_back({first, last, {static_cast<std::int64_t>(random.below(5000))}});
    }
    const auto plan = plan_memory(lives);
    ASSERT_TRUE(plan.ok());
    for (std::size_t a = 0; a < lives.size(); ++a) {
      EXPECT_EQ(plan.value().offsets[a] % 64, 0);
      EXPECT_LE(plan.value().offsets[a] + lives[a].size.count, plan.value().total.count);
      for (std::size_t b = a + 1; b < lives.size(); ++b) ASSERT_FALSE(overlap(lives, plan.value(), a, b)) << "seed " << seed;
    }
    EXPECT_GE(plan.value().total.count, most_at_once(lives, kSteps, 64));
    EXPECT_LE(plan.value().total.count, plan.value().unshared.count);
  }
}

TEST(MemoryPlan, ReusesWhatNobodyNeedsAnyMore) {
  // A chain: each step reads what the one before wrote, so two buffers are enough for any length.
  std::vector<BufferLife> chain;
  for (int step = 0; step < 10; ++step) chain.push_back({step, step + 1, {1000}});
  const auto plan = plan_memory(chain);
  ASSERT_TRUE(plan.ok());
  EXPECT_EQ(plan.value().total.count, 2 * 1024);
  EXPECT_EQ(plan.value().unshared.count, 10 * 1024);
}

TEST(MemoryPlan, GivesABufferOfNoBytesAPlaceOfItsOwn) {
  const std::vector<BufferLife> lives{{0, 1, {0}}, {0, 1, {64}}};
  const auto plan = plan_memory(lives);
  ASSERT_TRUE(plan.ok());
  EXPECT_NE(plan.value().offsets[0], plan.value().offsets[1]);
  EXPECT_EQ(plan.value().total.count, 128);
}

TEST(MemoryPlan, OfNothingIsNothing) {
  const auto plan = plan_memory({});
  ASSERT_TRUE(plan.ok());
  EXPECT_EQ(plan.value().total.count, 0);
}

TEST(MemoryPlan, RefusesWhatCannotBe) {
  const std::vector<BufferLife> backwards{{2, 1, {8}}}, negative{{0, 0, {-1}}};
  const std::vector<BufferLife> huge{{0, 0, {std::int64_t{1} << 62}}, {0, 0, {std::int64_t{1} << 62}}};
  EXPECT_EQ(plan_memory(backwards).error().code, ErrorCode::kInvalidArgument);
  EXPECT_EQ(plan_memory(negative).error().code, ErrorCode::kInvalidArgument);
  EXPECT_EQ(plan_memory({}, 48).error().code, ErrorCode::kInvalidArgument);
  EXPECT_EQ(plan_memory(huge).error().code, ErrorCode::kUnsupported);
}

}  // namespace
}  // namespace fuselab
