// SPDX-License-Identifier: Apache-2.0
#include "core/measure/canary_watch.h"

#include <gtest/gtest.h>

namespace fuselab {
namespace {

CanaryTimes computed_in(double ns) {
  return {{ns, ns, 50 * ns}, {}};  // one reading was interrupted
}

TEST(CanaryWatch, NamesABlockOnASlowerProcessor) {
  CanaryWatch watch;
  EXPECT_EQ(watch.judge(computed_in(4000)), "") << "the first block has nothing to be held against";
  EXPECT_EQ(watch.judge(computed_in(4000 * CanaryWatch::kComputeBound)), "") << "up to the bound it counts";
  EXPECT_EQ(watch.judge(computed_in(8000)), "fixed arithmetic took 2.00 times as long as in the best of the last 3 blocks");
}

TEST(CanaryWatch, HoldsMemoryToItsOwnBound) {
  CanaryWatch watch;
  EXPECT_EQ(watch.judge({{4000}, {8000}}), "");
  EXPECT_EQ(watch.judge({{4000}, {}}), "") << "a block that does not live on memory";
  EXPECT_EQ(watch.judge({{4000}, {8000 * CanaryWatch::kMemoryBound}}), "");
  EXPECT_EQ(watch.judge({{4000}, {20000}}), "reading memory took 2.50 times as long as in the best of the last 3 blocks");
  EXPECT_EQ(watch.judge({{8000}, {20000}}),
            "fixed arithmetic took 2.00 times as long as in the best of the last 5 blocks; "
            "reading memory took 2.50 times as long as in the best of the last 4 blocks");
}

TEST(CanaryWatch, TakesAMachineThatStaysSlowerAsItIs) {
  CanaryWatch watch;
  EXPECT_EQ(watch.judge(computed_in(4000)), "");
  for (std::size_t block = 1; block < CanaryWatch::kRemembered; ++block) EXPECT_NE(watch.judge(computed_in(8000)), "") << block;
  watch.judge(computed_in(8000));
  EXPECT_EQ(watch.judge(computed_in(8000)), "");
}

TEST(CanaryWatch, LeavesBlocksAloneThatHaveNoCanary) {
  CanaryWatch watch;
  EXPECT_EQ(watch.judge(computed_in(4000)), "");
  EXPECT_EQ(watch.judge({}), "");
}

}  // namespace
}  // namespace fuselab
