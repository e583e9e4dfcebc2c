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
  EXPECT_EQ(target("sm_90a").limits, target("sm_90").limits);
  EXPECT_EQ(virtual_target("gfx942").value().backend, "rocm");
  EXPECT_EQ(target("gfx942").limits.at("warp"), 64);
  EXPECT_EQ(virtual_target("tpu-v6e").value().backend, "xla");
}

TEST(VirtualTarget, ListsTheOthersWhenOneIsUnknown) {
  const auto unknown = virtual_target("sm_9000");
  ASSERT_FALSE(unknown.ok());
  EXPECT_EQ(unknown.error().code, ErrorCode::kNotFound);
  for (const std::string& id : virtual_target_ids()) {
    EXPECT_NE(unknown.error().message.find(id), std::string::npos) << id;
    EXPECT_TRUE(virtual_target(id).ok()) << id;
  }
}

}  // namespace
}  // namespace fuselab
