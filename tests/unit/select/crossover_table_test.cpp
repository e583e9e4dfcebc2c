// SPDX-License-Identifier: Apache-2.0
#include "core/select/crossover_table.h"

#include <gtest/gtest.h>

#include "tests/unit/select/selector_world.h"

namespace fuselab {
namespace {

using namespace fuselab::world;

std::vector<MeasuredPiece> sweep(const std::vector<Law>& laws) {
  std::vector<MeasuredPiece> pieces;
  for (std::int64_t elements = 1 << 20; elements >= 1 << 10; elements /= 4) pieces.push_back(map_piece(elements, laws));
  return pieces;
}

TEST(CrossoverTable, OrdersASignatureBySizeAndFindsWhereTheFastestChanges) {
  const auto pieces = sweep({slow_start(), quick_start()});
  const CrossoverTable table(pieces);
  ASSERT_EQ(table.series().size(), 1U);
  const CrossoverSeries& series = table.series()[0];
  ASSERT_EQ(series.pieces.size(), 6U);
  EXPECT_LT(work_size(series.pieces[0]->work), work_size(series.pieces[5]->work));
  EXPECT_EQ(fastest_of(*series.pieces[0])->device_id, "cpu:0");
  EXPECT_EQ(fastest_of(*series.pieces[5])->device_id, "cuda:0");
  ASSERT_EQ(series.crossovers.size(), 1U);
  EXPECT_EQ(series.crossovers[0].from, "cpu:0");
  EXPECT_EQ(series.crossovers[0].to, "cuda:0");
  EXPECT_NEAR(series.crossovers[0].size, 110'000, 30'000);  // 100 + n/10 = 10000 + n/100
}

TEST(CrossoverTable, DrawsALineBetweenNeighboursOnly) {
  const auto pieces = sweep({{"cpu:0", 0, 10}});
  const CrossoverTable table(pieces);
  const auto work = map_workload(5000, DType::kF32, 1);
  const auto line = table.interpolate("map", "cpu:0", work_size(work));
  ASSERT_TRUE(line);
  EXPECT_NEAR(line->ns, 4000, 1) << "a power law is a line in logarithms";
  EXPECT_EQ(line->below_size, 8 * 4096);
  EXPECT_EQ(line->above_size, 8 * 16384);
  EXPECT_FALSE(table.interpolate("map", "cpu:0", 8)) << "below all";
  EXPECT_FALSE(table.interpolate("map", "cpu:0", 1e12)) << "above all";
  EXPECT_FALSE(table.interpolate("map", "cuda:0", work_size(work)));
  EXPECT_FALSE(table.interpolate("reduce", "cpu:0", work_size(work)));
}

TEST(CrossoverTable, LeavesOutWhatIsToBePredictedAndGapsThatAreTooWide) {
  const std::vector<MeasuredPiece> pieces = {map_piece(1000, {quick_start()}), map_piece(8000, {quick_start()}),
                                             map_piece(64'001, {quick_start()})};
  const CrossoverTable table(pieces);
  const double middle = work_size(pieces[1].work);
  EXPECT_TRUE(table.interpolate("map", "cpu:0", middle));
  EXPECT_FALSE(table.interpolate("map", "cpu:0", middle, pieces[1].key)) << "1000 and 64001 are more than 64 times apart";
}

TEST(CrossoverTable, FindsNoChangeAtSizesThatAreEqualWithinNoise) {
  auto pieces = sweep({slow_start(), quick_start()});
  for (MeasuredPiece& piece : pieces) {
    for (TimeOnDevice& time : piece.times) time.interval = {time.ns / 1000, time.ns * 1000};
  }
  EXPECT_TRUE(CrossoverTable(pieces).series()[0].crossovers.empty());
}

TEST(CrossoverTable, HasNoWinnerThatLosesNaN) {
  auto pieces = sweep({slow_start(), quick_start()});
  for (MeasuredPiece& piece : pieces) piece.times[0].drawbacks = withheld_for(Drawback::kNanLoss);
  const CrossoverTable table(pieces);
  const CrossoverSeries& series = table.series()[0];
  for (const MeasuredPiece* const piece : series.pieces) EXPECT_EQ(fastest_of(*piece)->device_id, "cpu:0");
  EXPECT_TRUE(series.crossovers.empty());
  EXPECT_FALSE(table.withheld_for("map", "cuda:0").empty());
  EXPECT_TRUE(table.withheld_for("map", "cpu:0").empty());
  EXPECT_TRUE(table.withheld_for("filter", "cuda:0").empty());
  EXPECT_NE(time_on(*series.pieces[0], "cuda:0"), nullptr) << "it is shown all the same";
}

}  // namespace
}  // namespace fuselab
