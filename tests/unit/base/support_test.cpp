// SPDX-License-Identifier: Apache-2.0
#include "core/base/support.h"

#include <gtest/gtest.h>

namespace fuselab {
namespace {

TEST(Support, SaysWhyNot) {
  EXPECT_TRUE(Support().yes);
  const Support refused = Support::no("needs AVX-512");
  EXPECT_FALSE(refused.yes);
  EXPECT_EQ(refused.why_not, "needs AVX-512");
}

TEST(Availability, IsUnavailableUntilSomethingSaysOtherwise) {
  EXPECT_FALSE(Availability().usable);
  EXPECT_TRUE(Availability::available().usable);
  const Availability absent = Availability::unavailable("libcuda.so.1 not found");
  EXPECT_FALSE(absent.usable);
  EXPECT_EQ(absent.reason, "libcuda.so.1 not found");
}

}  // namespace
}  // namespace fuselab
