// SPDX-License-Identifier: Apache-2.0
#include "backends/triton/block_index.h"

#include <gtest/gtest.h>

namespace fuselab::triton {
namespace {

Index named(const char* name) {
  Index index;
  index.base = name;
  index.axes = kRows;
  return index;
}

TEST(BlockIndex, ComesBackFromAPlaceAsItWas) {
  const Index i = named("i");
  const Place place = unflattened(i, {4, 1, 6, 10});
  EXPECT_EQ(place[0].text(), "(i // 60)");
  EXPECT_EQ(place[1].text(), "0");
  EXPECT_EQ(place[2].text(), "(i // 10 % 6)");
  EXPECT_EQ(place[3].text(), "(i % 10)");
  EXPECT_EQ(flat(place, {4, 1, 6, 10}).text(), "i");
  EXPECT_EQ(flat(Place(place.begin() + 1, place.end()), {1, 6, 10}).text(), "(i % 60)");
}

TEST(BlockIndex, IsTakenApartAsItWasJoined) {
  const Place head = {named("b"), named("m"), named("n")};
  const Place merged = reshaped(head, {2, 8, 64}, {16, 4, 16});
  EXPECT_EQ(merged[0].text(), "((b * 8) + m)");
  EXPECT_EQ(merged[1].text(), "(n // 16)");
  EXPECT_EQ(merged[2].text(), "(n % 16)");
  EXPECT_EQ(reshaped(merged, {16, 4, 16}, {2, 8, 64}), head);
  EXPECT_EQ(reshaped(merged, {16, 4, 16}, {1, 2, 8, 64})[3].text(), "n");
}

TEST(BlockIndex, SplitsWhatWasJoinedOfOtherParts) {
  const Index whole = joined(named("a"), 12, named("b"));
  EXPECT_EQ(split(whole, 4).second.text(), "(b % 4)");
  EXPECT_EQ(split(whole, 24).first.text(), "(a // 2)");
  EXPECT_EQ(joined(split(whole, 4).first, 4, split(whole, 4).second).text(), whole.text());
}

TEST(BlockIndex, FoldsNumbers) {
  EXPECT_EQ(plus(times(constant(3), 4), 1).text(), "13");
  EXPECT_EQ(split(constant(13), 5).first.text(), "2");
  EXPECT_EQ(split(constant(13), 5).second.text(), "3");
  EXPECT_EQ(plus(named("i"), -2).text(), "(i - 2)");
  EXPECT_EQ(joined(constant(0), 7, named("i")).text(), "i");
}

}  // namespace
}  // namespace fuselab::triton
