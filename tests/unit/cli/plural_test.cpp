// SPDX-License-Identifier: Apache-2.0
#include "core/base/words.h"

#include <gtest/gtest.h>

namespace fuselab::cli {
namespace {

TEST(Counted, SaysOneInTheSingular) {
  EXPECT_EQ(counted(0, "kernel"), "0 kernels");
  EXPECT_EQ(counted(1, "kernel"), "1 kernel");
  EXPECT_EQ(counted(2, "kernel"), "2 kernels");
  EXPECT_EQ(counted(1, "binary", "binaries"), "1 binary");
  EXPECT_EQ(counted(3, "binary", "binaries"), "3 binaries");
}

}  // namespace
}  // namespace fuselab::cli
