// SPDX-License-Identifier: Apache-2.0
#include "core/select/best_mix.h"

#include <gtest/gtest.h>

namespace fuselab {
namespace {

std::optional<double> free_switch(std::size_t /*from*/, std::size_t /*to*/, Bytes /*bytes*/) {
  return 0.0;
}
std::optional<double> no_switch(std::size_t /*from*/, std::size_t /*to*/, Bytes /*bytes*/) {
  return std::nullopt;
}
std::optional<double> one_per_byte(std::size_t /*from*/, std::size_t /*to*/, Bytes bytes) {
  return static_cast<double>(bytes.count);
}

TEST(BestMix, TakesEachPieceWhereItIsFastestWhenSwitchingIsFree) {
  const std::vector<MixPiece> pieces{{1, {10.0, 4.0}, {8}}, {3, {5.0, 20.0}, {8}}};
  const auto mix = best_mix(pieces, 2, free_switch);
  ASSERT_TRUE(mix);
  EXPECT_EQ(mix->device[0], 1U);
  EXPECT_EQ(mix->device[1], 0U);
  EXPECT_DOUBLE_EQ(mix->work_ns, 4 + 3 * 5);
  EXPECT_DOUBLE_EQ(mix->switching_ns, 0);
}

TEST(BestMix, MovesOnlyWhenThatPaysForTheSwitch) {
  const std::vector<MixPiece> pieces{{2, {10.0, 4.0}, {5}}, {2, {10.0, 4.0}, {7}}, {1, {1.0, 100.0}, {1}}};
  const auto mix = best_mix(pieces, 2, one_per_byte);
  ASSERT_TRUE(mix);
  EXPECT_EQ(mix->home, 1U);  // two pieces stay, the third pays one byte to move
  EXPECT_EQ(mix->device[2], 0U);
  EXPECT_DOUBLE_EQ(mix->work_ns, 2 * 4 + 2 * 4 + 1);
  EXPECT_DOUBLE_EQ(mix->switching_ns, 1);
}

TEST(BestMix, StaysOnOneDeviceWhenSwitchingCannotBePriced) {
  const std::vector<MixPiece> pieces{{1, {10.0, 4.0}, {8}}, {1, {5.0, 20.0}, {8}}};
  const auto mix = best_mix(pieces, 2, no_switch);
  ASSERT_TRUE(mix);
  EXPECT_EQ(mix->home, 0U);
  EXPECT_EQ(mix->device[0], 0U);
  EXPECT_EQ(mix->device[1], 0U);
  EXPECT_DOUBLE_EQ(mix->work_ns, 15);
}

TEST(BestMix, PrefersAHomeThatRunsMoreOfTheModel) {
  const std::vector<MixPiece> pieces{{1, {10.0, 4.0}, {8}}, {1, {5.0, std::nullopt}, {8}}};
  const auto mix = best_mix(pieces, 2, no_switch);
  ASSERT_TRUE(mix);
  EXPECT_EQ(mix->home, 0U);
}

TEST(BestMix, LeavesOutWhatNobodyMeasured) {
  const std::vector<MixPiece> pieces{{1, {std::nullopt}, {8}}, {1, {5.0}, {8}}};
  const auto mix = best_mix(pieces, 1, free_switch);
  ASSERT_TRUE(mix);
  EXPECT_FALSE(mix->device[0]);
  EXPECT_DOUBLE_EQ(mix->work_ns, 5);
  EXPECT_FALSE(best_mix(std::vector<MixPiece>{{1, {std::nullopt}, {8}}}, 1, free_switch));
}

}  // namespace
}  // namespace fuselab
