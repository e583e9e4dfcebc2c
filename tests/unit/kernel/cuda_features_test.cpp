// SPDX-License-Identifier: Apache-2.0
#include "core/kernel/cuda_features.h"

#include <gtest/gtest.h>

#include "core/kernel/virtual_target.h"

namespace fuselab {
namespace {

CudaFeatures of(const char* id) {
  return cuda_features(virtual_target(id).value().target);
}

TEST(CudaFeatures, ComeWithTheArchitecture) {
  EXPECT_FALSE(of("sm_75").async_copies || of("sm_75").warp_products || of("sm_75").copy_engine);
  for (const char* each : {"sm_80", "sm_86", "sm_89", "sm_90", "sm_100", "sm_120"})
    EXPECT_TRUE(of(each).async_copies && of(each).warp_products) << each;
  EXPECT_FALSE(of("sm_89").copy_engine);
  EXPECT_TRUE(of("sm_90").copy_engine && of("sm_90a").copy_engine && of("sm_120").copy_engine);
  EXPECT_EQ(of("sm_90a").capability, 90);
  EXPECT_EQ(of("sm_120").capability, 120);
}

TEST(CudaFeatures, OfOneArchitectureAloneAreNotInherited) {
  EXPECT_TRUE(of("sm_90a").group_products);
  for (const char* each : {"sm_90", "sm_100", "sm_120"}) EXPECT_FALSE(of(each).group_products) << each;
}

TEST(CudaFeatures, AreNothingElsewhere) {
  const CudaFeatures none = cuda_features({"sm_90a", "opencl", {}});
  EXPECT_EQ(none.capability, 0);
  EXPECT_FALSE(none.async_copies || none.warp_products || none.copy_engine || none.group_products);
  EXPECT_EQ(of("x86-64-v4").capability, 0);
}

}  // namespace
}  // namespace fuselab
