// SPDX-License-Identifier: Apache-2.0
#include "core/measure/ceilings/paired_ceiling.h"

#include <gtest/gtest.h>

namespace fuselab {
namespace {

Cost cost_of_bytes(std::int64_t bytes, double flops) {
  Cost cost;
  cost.read = {bytes};
  cost.flops = flops;
  return cost;
}

PairedCeiling ceiling_of(std::vector<CeilingLook> looks) {
  PairedCeiling ceiling;
  ceiling.looks = std::move(looks);
  return ceiling;
}

TEST(PairedCeiling, ComparesEachRoundWithTheLooksAroundIt) {
  // 1000 bytes at 10 GB/s take 100 ns. The machine is half as fast in the second half: both are.
  const PairedCeiling ceiling = ceiling_of({{0, 1e10, 0}, {2, 1e10, 0}, {2, 0.5e10, 0}, {4, 0.5e10, 0}});
  const auto share = paired_share(cost_of_bytes(1000, 0), {125, 125, 250, 250}, ceiling);
  ASSERT_TRUE(share);
  EXPECT_TRUE(share->memory_bound);
  EXPECT_NEAR(share->share.value, 0.8, 1e-9) << "the stored ceiling would say 0.8 and 0.4";
  EXPECT_NEAR(share->share.interval.low, 0.8, 1e-9);
}

TEST(PairedCeiling, TakesTheLimitThatBinds) {
  const PairedCeiling ceiling = ceiling_of({{0, 1e10, 1e10}, {3, 1e10, 1e10}});
  const auto share = paired_share(cost_of_bytes(1000, 4000), {500, 500, 500}, ceiling);
  ASSERT_TRUE(share);
  EXPECT_FALSE(share->memory_bound);
  EXPECT_NEAR(share->share.value, 0.8, 1e-9);
}

TEST(PairedCeiling, SaysNothingWhereNothingWasTimed) {
  EXPECT_FALSE(paired_share(cost_of_bytes(1000, 1), {500}, {}));
  EXPECT_FALSE(paired_share(cost_of_bytes(1000, 0), {500}, ceiling_of({{0, 0, 1e10}}))) << "only arithmetic was timed";
  EXPECT_FALSE(paired_share(cost_of_bytes(1000, 0), {}, ceiling_of({{0, 1e10, 0}})));
}

TEST(PairedCeiling, MeanOfTheLooksBeforeAndAfterARound) {
  const PairedCeiling ceiling = ceiling_of({{0, 1e10, 0}, {1, 2e10, 0}});
  const auto share = paired_share(cost_of_bytes(1500, 0), {100}, ceiling);
  ASSERT_TRUE(share);
  EXPECT_NEAR(share->share.value, 1.0, 1e-9);
}

}  // namespace
}  // namespace fuselab
