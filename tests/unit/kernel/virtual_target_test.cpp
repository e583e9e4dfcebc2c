// SPDX-License-Identifier: Apache-2.0
#include "core/kernel/virtual_target.h"

#include <gtest/gtest.h>

namespace fuselab {
namespace {

Target target(const char* id) {
  return virtual_target(id).value().target;
}

TEST(VirtualTarget, NamesWhoCompilesForIt) {
  EXPECT_EQ(virtual_target("sm_90").value().backend, "cuda");
  EXPECT_EQ(virtual_target("x86-64-v4").value().backend, "cpu");
  EXPECT_EQ(target("x86-64-v4").limits.at("vector_bytes"), 64);
  EXPECT_EQ(target("armv8-a+simd").arch, "aarch64");
  EXPECT_EQ(target("sm_90").limits.at("shared_optin_bytes"), 227 * 1024);
}

TEST(VirtualTarget, ListsTheOthersWhenOneIsUnknown) {
  auto const unknown = virtual_target("sm_9000");
  ASSERT_FALSE(unknown.ok());
  EXPECT_EQ(unknown.error().code, ErrorCode::kNotFound);
  for (const std::string& id : virtual_target_ids()) {
    EXPECT_NE(unknown.error().message.find(id), std::string::npos) << id;
    EXPECT_TRUE(virtual_target(id).ok()) << id;
  }
}

// By hand, from the limits of the programming guide.
TEST(PredictedOccupancy, IsLimitedByThreadsRegistersSharedMemoryOrBlocks) {
  EXPECT_DOUBLE_EQ(predicted_occupancy({{"registers", 32}}, 256, target("sm_90")).value(), 1.0);
  EXPECT_DOUBLE_EQ(predicted_occupancy({{"registers", 64}}, 256, target("sm_90")).value(), 0.5);   // 65536 / (64 * 256) = 4 blocks
  EXPECT_DOUBLE_EQ(predicted_occupancy({{"registers", 33}}, 256, target("sm_90")).value(), 0.75);  // 40 a thread: 6 blocks
  EXPECT_DOUBLE_EQ(predicted_occupancy({{"registers", 16}, {"shared_bytes", 100 * 1024}}, 512, target("sm_90")).value(), 0.5);
  EXPECT_DOUBLE_EQ(predicted_occupancy({{"registers", 16}}, 32, target("sm_86")).value(), 16.0 * 32 / 1536);
  EXPECT_DOUBLE_EQ(predicted_occupancy({{"registers", 255}}, 1024, target("sm_90")).value(), 0.0);  // not one block fits
}

TEST(PredictedOccupancy, IsUnknownWithoutRegistersOrAMultiprocessor) {
  EXPECT_FALSE(predicted_occupancy({{"code_bytes", 4096}}, 256, target("sm_90")).has_value());
  EXPECT_FALSE(predicted_occupancy({{"registers", 32}}, 1, target("x86-64-v3")).has_value());
}

}  // namespace
}  // namespace fuselab
