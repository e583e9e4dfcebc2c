// SPDX-License-Identifier: Apache-2.0
#include "core/select/recommendations.h"

#include <gmock/gmock.h>

namespace fuselab {
namespace {

using testing::HasSubstr;

AdvisedPiece busy_map() {
  AdvisedPiece piece;
  piece.work = map_workload(1'000'000, DType::kF32, 1);
  piece.work.operators = 2;
  piece.ns = 1e6;
  piece.launch_ns = 1000;
  piece.moving_ns = 9e5;
  piece.compute_units = 4;
  return piece;
}

std::string text_of(const AdvisedPiece& piece, Advice wanted) {
  for (const Recommendation& each : recommend(piece)) {
    if (each.advice == wanted) return each.text;
  }
  return "";
}

TEST(Recommendations, AreNoneWhereTheNumbersShowNothing) {
  EXPECT_TRUE(recommend(busy_map()).empty());
}

TEST(Recommendations, BatchWhatIsMostlyLaunching) {
  AdvisedPiece piece = busy_map();
  piece.ns = 2000;
  EXPECT_THAT(text_of(piece, Advice::kBatch), HasSubstr("50 % of its time"));
  EXPECT_THAT(text_of(piece, Advice::kBatch), HasSubstr("9 times the work")) << "1000 / (1000 + 9 · 1000) = 10 %";
}

TEST(Recommendations, FuseASingleOperatorThatIsMostlyMoving) {
  AdvisedPiece piece = busy_map();
  piece.work.operators = 1;
  EXPECT_THAT(text_of(piece, Advice::kFuse), HasSubstr("90 % of its time is moving"));
  piece.moving_ns = 1e5;
  EXPECT_EQ(text_of(piece, Advice::kFuse), "");
}

TEST(Recommendations, LeaveApartWhatLosesByFusing) {
  AdvisedPiece piece = busy_map();
  piece.fusion_gain = Ratio{0.5, {0.45, 0.55}};
  EXPECT_THAT(text_of(piece, Advice::kDoNotFuse), HasSubstr("2.00 times as long"));
}

TEST(Recommendations, SayWhatRandomAccessCosts) {
  AdvisedPiece piece = busy_map();
  piece.work.has_random_access = true;
  EXPECT_EQ(text_of(piece, Advice::kAvoidRandomAccess), "") << "it runs at nearly its bandwidth";
  piece.moving_ns = 2e5;
  EXPECT_THAT(text_of(piece, Advice::kAvoidRandomAccess), HasSubstr("5.0 times as long"));
}

TEST(Recommendations, KeepDataThereAndGiveTheDeviceEnoughToDo) {
  AdvisedPiece piece = busy_map();
  piece.transfer_ns = 5e6;
  EXPECT_THAT(text_of(piece, Advice::kKeepOnDevice), HasSubstr("copying takes"));
  piece.work.parallelism = 3;
  EXPECT_THAT(text_of(piece, Advice::kRaiseParallelism), HasSubstr("3 independent elements for 4 compute units"));
}

}  // namespace
}  // namespace fuselab
