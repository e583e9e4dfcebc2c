// SPDX-License-Identifier: Apache-2.0
#include "app/worker/block/value_slots.h"

#include <gtest/gtest.h>

#include "core/base/random.h"

namespace fuselab::worker {
namespace {

std::vector<std::size_t> slots_of(const std::vector<Lifetime>& tensors) {
  return share_slots(tensors).slot_of;
}

TEST(ValueSlots, AChainNeedsTwoHoweverLongItIs) {
  std::vector<Lifetime> chain;
  for (int step = 0; step < 10; ++step) chain.push_back({step, step + 1, {64}});
  const ValueSlots shared = share_slots(chain);
  EXPECT_EQ(shared.sizes.size(), 2U);
  EXPECT_EQ(shared.total(), Bytes{128});
}

TEST(ValueSlots, AResultNeverLiesWhereAnOperandOfItsStepDoes) {
  EXPECT_EQ(slots_of({{-1, 0, {8}}, {0, 1, {8}}}), (std::vector<std::size_t>{0, 1}));
  EXPECT_EQ(slots_of({{-1, 0, {8}}, {1, 1, {8}}}), (std::vector<std::size_t>{0, 0}));
}

TEST(ValueSlots, TakesTheSmallestThatHoldsItElseTheLargestGrows) {
  std::vector<Lifetime> tensors{{0, 0, {100}}, {0, 0, {40}}, {0, 0, {60}}, {1, 1, {50}}, {1, 1, {200}}};
  const ValueSlots shared = share_slots(tensors);
  EXPECT_EQ(shared.slot_of, (std::vector<std::size_t>{0, 1, 2, 2, 0}));
  EXPECT_EQ(shared.sizes, (std::vector<Bytes>{{200}, {40}, {60}}));
}

TEST(ValueSlots, WhatMeetsIsApartInAnyProgram) {
  SeededRandom random(7);
  for (int round = 0; round < 200; ++round) {
    std::vector<Lifetime> tensors;
    std::int64_t sum = 0, largest_step = 0;
    for (int i = 0; i < 30; ++i) {
      const int first = static_cast<int>(random.below(20)) - 1;
      tensors.push_back({first, first + static_cast<int>(random.below(6)), {static_cast<std::int64_t>(random.below(1000))}});
      sum += tensors.back().size.count;
    }
    for (int step = -1; step < 26; ++step) {
      std::int64_t needed = 0;
      for (const Lifetime& tensor : tensors) needed += tensor.first <= step && step <= tensor.last ? tensor.size.count : 0;
      largest_step = std::max(largest_step, needed);
    }
    const ValueSlots shared = share_slots(tensors);
    EXPECT_LE(shared.total().count, sum);
    EXPECT_GE(shared.total().count, largest_step);
    for (std::size_t i = 0; i < tensors.size(); ++i) {
      ASSERT_LE(tensors[i].size.count, shared.sizes[shared.slot_of[i]].count);
      for (std::size_t j = 0; j < i; ++j) {
        const bool meet = tensors[i].first <= tensors[j].last && tensors[j].first <= tensors[i].last;
        ASSERT_FALSE(meet && shared.slot_of[i] == shared.slot_of[j]) << "round " << round << ": " << i << " and " << j;
      }
    }
  }
}

}  // namespace
}  // namespace fuselab::worker
