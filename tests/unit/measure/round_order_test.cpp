// SPDX-License-Identifier: Apache-2.0
#include "core/measure/loop/round_order.h"

#include <gtest/gtest.h>

#include <map>
#include <set>

namespace fuselab {
namespace {

class RoundOrders : public testing::TestWithParam<std::size_t> {};

// Rounds in a square: the count when it is even, twice as many when it is odd.
std::size_t rounds_of(std::size_t count) {
  return count % 2 == 0 ? count : 2 * count;
}

TEST_P(RoundOrders, EachVariantIsEquallyOftenInEachPlaceAndBehindEachOther) {
  const std::size_t count = GetParam();
  SeededRandom random(5);
  RoundOrder order(count, random);
  for (int square = 0; square < 3; ++square) {
    std::map<std::pair<std::size_t, std::size_t>, int> in_place, behind;
    for (std::size_t round = 0; round < rounds_of(count); ++round) {
      const std::vector<std::size_t> row = order.next();
      EXPECT_EQ(std::set(row.begin(), row.end()).size(), count);
      for (std::size_t place = 0; place < count; ++place) ++in_place[{row[place], place}];
      for (std::size_t place = 1; place < count; ++place) ++behind[{row[place - 1], row[place]}];
    }
    EXPECT_EQ(in_place.size(), count * count);
    EXPECT_EQ(behind.size(), count * (count - 1));
    const int times = count % 2 == 0 ? 1 : 2;
    for (const auto& [pair, seen] : in_place) EXPECT_EQ(seen, times) << pair.first << " in place " << pair.second;
    for (const auto& [pair, seen] : behind) EXPECT_EQ(seen, times) << pair.second << " behind " << pair.first;
  }
}
INSTANTIATE_TEST_SUITE_P(Counts, RoundOrders, testing::Values(2, 3, 4, 5, 6, 7, 8));

TEST(RoundOrder, OneVariantIsAlwaysFirst) {
  SeededRandom random(1);
  RoundOrder order(1, random);
  for (int round = 0; round < 5; ++round) EXPECT_EQ(order.next(), std::vector<std::size_t>{0});
}

TEST(RoundOrder, TwoVariantsTurnEveryPairOfRoundsAndStartWithEither) {
  SeededRandom random(1);
  RoundOrder order(2, random);
  std::set<std::size_t> first;
  for (int pair = 0; pair < 20; ++pair) {
    const std::vector<std::size_t> one = order.next();
    const std::vector<std::size_t> other = order.next();
    EXPECT_EQ(one[0], other[1]);
    EXPECT_EQ(one[1], other[0]);
    first.insert(one[0]);
  }
  EXPECT_EQ(first.size(), 2U);
}

TEST(RoundOrder, SameSeedGivesTheSameOrders) {
  SeededRandom one(9), other(9);
  RoundOrder a(4, one), b(4, other);
  for (int round = 0; round < 12; ++round) EXPECT_EQ(a.next(), b.next());
}

}  // namespace
}  // namespace fuselab
