// SPDX-License-Identifier: Apache-2.0
#include "core/measure/ceilings/ceiling.h"

#include <gtest/gtest.h>

namespace fuselab {
namespace {

constexpr std::int64_t kMiB = 1 << 20;

Ceiling stream(int reads, int writes, std::int64_t mebibytes, double per_second, bool nontemporal = false, int threads = 1) {
  return {"stream", reads, writes, nontemporal, {mebibytes * kMiB}, threads, per_second, per_second, per_second};
}

TEST(CeilingTable, NothingMeasuredIsZero) {
  EXPECT_EQ(CeilingTable().nearest_bandwidth(1, 1, {kMiB}), 0);
  EXPECT_EQ(CeilingTable().peak_flops(), 0);
}

TEST(CeilingTable, TakesTheNearestMixBeforeTheNearestFootprint) {
  const CeilingTable table{{stream(1, 1, 256, 30e9), stream(3, 1, 64, 40e9)}};
  EXPECT_EQ(table.nearest_bandwidth(1, 1, {64 * kMiB}), 30e9);
  EXPECT_EQ(table.nearest_bandwidth(3, 1, {256 * kMiB}), 40e9);
  EXPECT_EQ(table.nearest_bandwidth(2, 1, {64 * kMiB}), 40e9);  // read share 2/3: nearer to 3/4 than to 1/2
}

TEST(CeilingTable, StaysOnTheSideOfTheCacheThatTheWorkloadIsOn) {
  const CeilingTable table{{stream(1, 1, 1, 200e9), stream(1, 1, 256, 30e9)}};
  EXPECT_EQ(table.nearest_bandwidth(1, 1, {2 * kMiB}), 200e9);
  EXPECT_EQ(table.nearest_bandwidth(1, 1, {128 * kMiB}), 30e9);
  EXPECT_EQ(table.nearest_bandwidth(1, 1, {16 * kMiB}), 30e9);  // equally near: the larger footprint flatters less
}

TEST(CeilingTable, TakesTheBestStoreKindAndThreadCount) {
  const CeilingTable table{{stream(1, 1, 64, 30e9), stream(1, 1, 64, 45e9, true), stream(1, 1, 64, 44e9, true, 2)}};
  EXPECT_EQ(table.nearest_bandwidth(1, 1, {64 * kMiB}), 45e9);
}

// The rows of one table, each at the footprint class of `bytes`.
Ceiling stream_of_class(std::int64_t bytes, double per_second) {
  Ceiling row = stream(1, 1, 1, per_second);
  row.footprint = footprint_class({bytes});
  return row;
}

TEST(CeilingTable, KnowsTheBandwidthOfAClassOnlyWhereItWasMeasured) {
  const CeilingTable table{{stream(1, 1, 1, 200e9), stream(1, 1, 1, 210e9, true), stream(2, 1, 128, 30e9)}};
  EXPECT_EQ(table.bandwidth_of_class(1, 1, {kMiB}), 210e9);
  EXPECT_EQ(table.bandwidth_of_class(1, 1, {128 * kMiB}), 0) << "another size may lie in another cache";
  EXPECT_EQ(table.bandwidth_of_class(2, 1, {kMiB}), 0) << "another mix moves another number of bytes per second";
}

TEST(SpeedOfLight, IsNotKnownOfASizeThatWasNotMeasured) {
  Ceiling flops;
  flops.kind = "flops";
  flops.per_second = 1e12;
  const CeilingTable table{{stream(1, 1, 1, 121e9), flops}};
  Cost cost;
  cost.read = {64 * kMiB};
  cost.written = {64 * kMiB};
  cost.flops = 1e6;
  const SpeedOfLight light = speed_of_light(cost, cost.ideal(), 1, 1, table, {4e6});
  EXPECT_EQ(light.ideal.count, 0) << "not what 1 MiB in a cache would promise";
  EXPECT_EQ(light.share, 0);
}

TEST(SpeedOfLight, IsTheSlowerOfTrafficAndArithmetic) {
  Ceiling flops;
  flops.kind = "flops";
  flops.per_second = 1e9;
  const CeilingTable table{{stream_of_class(2000, 1e9), flops}};
  Cost cost;
  cost.read = {1000};
  cost.written = {1000};
  cost.flops = 500;
  const SpeedOfLight memory = speed_of_light(cost, cost.ideal(), 1, 1, table, {4000});
  EXPECT_TRUE(memory.memory_bound);
  EXPECT_DOUBLE_EQ(memory.ideal.count, 2000);
  EXPECT_DOUBLE_EQ(memory.share, 0.5);
  cost.flops = 8000;
  const SpeedOfLight compute = speed_of_light(cost, cost.ideal(), 1, 1, table, {7000});
  EXPECT_FALSE(compute.memory_bound);
  EXPECT_DOUBLE_EQ(compute.ideal.count, 8000);
  EXPECT_GT(compute.share, kMistrustedShare);
}

// What else was measured of the same mix, nearer to the footprint than its class, must not change the figure.
TEST(SpeedOfLight, TakesTheBandwidthOfTheFootprintsClass) {
  const std::int64_t fits = 60 * kMiB;
  Ceiling of_class = stream(1, 1, 1, 40e9);
  of_class.footprint = footprint_class({fits});
  ASSERT_LT(of_class.footprint.count, fits);
  Cost cost;
  cost.read = {fits / 2};
  cost.written = {fits / 2};
  const CeilingTable alone{{of_class}}, among_others{{of_class, stream(1, 1, 64, 20e9)}};
  EXPECT_EQ(speed_of_light(cost, cost.ideal(), 1, 1, alone, {0}).ideal.count,
            speed_of_light(cost, cost.ideal(), 1, 1, among_others, {0}).ideal.count);
}

TEST(SpeedOfLight, HoldsDoublePrecisionAgainstItsOwnRate) {
  Ceiling single, wide;
  single.kind = "flops";
  single.per_second = 2e9;
  wide.kind = "flops-f64";
  wide.per_second = 1e9;
  const CeilingTable table{{stream(1, 1, 64, 1e12), single, wide}};
  Cost cost;
  cost.flops = 4000;
  EXPECT_DOUBLE_EQ(speed_of_light(cost, cost.ideal(), 1, 1, table, {0}).ideal.count, 2000);
  EXPECT_DOUBLE_EQ(speed_of_light(cost, cost.ideal(), 1, 1, table, {0}, DType::kF64).ideal.count, 4000);
}

// No rate of theirs is measured, and that of f32 is no bound: a register holds four times as many.
TEST(SpeedOfLight, BoundsProductsOfBytesByMemoryAlone) {
  Ceiling flops;
  flops.kind = "flops";
  flops.per_second = 1e9;
  const CeilingTable table{{stream_of_class(2000, 1e9), flops}};
  Cost cost;
  cost.read = {1000};
  cost.written = {1000};
  cost.flops = 8000;
  const SpeedOfLight light = speed_of_light(cost, cost.ideal(), 1, 1, table, {4000}, DType::kI8);
  EXPECT_TRUE(light.memory_bound);
  EXPECT_DOUBLE_EQ(light.ideal.count, 2000);
  EXPECT_EQ(CeilingTable().peak_flops(DType::kI8), 0) << "where nothing was measured";
}

TEST(SpeedOfLight, WithoutCeilingsSaysNothing) {
  Cost cost;
  cost.read = {1000};
  const SpeedOfLight light = speed_of_light(cost, cost.ideal(), 1, 1, {}, {100});
  EXPECT_EQ(light.ideal.count, 0);
  EXPECT_EQ(light.share, 0);
}

}  // namespace
}  // namespace fuselab
