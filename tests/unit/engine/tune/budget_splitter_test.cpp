// SPDX-License-Identifier: Apache-2.0
#include "app/engine/tune/budget_splitter.h"

#include <gtest/gtest.h>

namespace fuselab::engine {
namespace {

class Shares : public testing::Test {
 protected:
  BudgetSplitter of(double budget) {
    return BudgetSplitter(budget, [this] { return spent_; });
  }
  // Begins a turn of so many searches, each of which takes `beyond` more than its seconds; how many were begun.
  int turn(BudgetSplitter& shares, int searches, double beyond) {
    shares.begin_turn(1);
    for (int left = searches; left > 0; --left) {
      const auto seconds = shares.next(left);
      if (!seconds) return searches - left;
      spent_ += *seconds + beyond;
    }
    return searches;
  }

  double spent_ = 0;
};

TEST_F(Shares, ATurnIsDividedEvenly) {
  BudgetSplitter shares = of(100);
  shares.begin_turn(0.4);
  EXPECT_DOUBLE_EQ(shares.next(4).value(), 10);
  spent_ = 10;
  EXPECT_DOUBLE_EQ(shares.next(3).value(), 10);
  spent_ = 12;  // it converged
  EXPECT_DOUBLE_EQ(shares.next(2).value(), 14) << "what one leaves the others get";
}

TEST_F(Shares, TheFirstSearchGetsWhatThereIs) {
  BudgetSplitter tiny = of(0.1);
  ASSERT_TRUE(tiny.may_begin(6));
  tiny.begin_turn(0.5);
  EXPECT_DOUBLE_EQ(tiny.next(6).value(), 0.1);
  spent_ = 0.2;
  EXPECT_FALSE(tiny.next(5).has_value());
  EXPECT_FALSE(tiny.may_begin(1));
}

TEST_F(Shares, TheFirstSearchBeginsThoughNothingIsLeftAndOtherWorkIsCounted) {
  BudgetSplitter nothing(
      0, [this] { return spent_; }, 20);
  spent_ = 1;
  ASSERT_TRUE(nothing.may_begin(3));
  nothing.begin_turn(1);
  EXPECT_GT(nothing.next(3).value(), 0);
  EXPECT_FALSE(nothing.next(2).has_value());
  EXPECT_EQ(nothing.left_out_text(2),
            "The budget of 20 s ended before 2 of 3 searches had their turn; --budget 23 would reach about all.");
}

TEST_F(Shares, NoSearchBeginsOnceTheBudgetIsSpent) {
  BudgetSplitter shares = of(1.5);
  EXPECT_EQ(turn(shares, 6, 2.0), 1) << "a search and its confirmation spent it all";
  EXPECT_LT(spent_, 1.5 + 2.0);
}

TEST_F(Shares, WhatConfirmationsTakeIsLeftForThem) {
  BudgetSplitter shares = of(10);
  EXPECT_EQ(turn(shares, 6, 1.0), 6);
  EXPECT_LT(spent_, 11);
}

TEST_F(Shares, SaysWhatWasLeftOutAndWhatWouldDo) {
  BudgetSplitter shares = of(1.5);
  EXPECT_EQ(turn(shares, 6, 2.25), 1);
  EXPECT_EQ(shares.left_out_text(5),
            "The budget of 1.5 s ended before 5 of 6 searches had their turn; --budget 15 would reach about all.");
}

TEST_F(Shares, APieceThatCannotBeTunedAsAWholeIsNotBegun) {
  BudgetSplitter shares = of(10);
  EXPECT_EQ(turn(shares, 1, -0.5), 1);
  EXPECT_TRUE(shares.may_begin(2)) << "half a second";
  EXPECT_FALSE(shares.may_begin(3));
}

}  // namespace
}  // namespace fuselab::engine
