// SPDX-License-Identifier: Apache-2.0
#include "core/kernel/nan_loss.h"

#include <gtest/gtest.h>

namespace fuselab {
namespace {

TEST(NanLoss, IsStatedByOneParameterWithOneValue) {
  EXPECT_TRUE(loses_nan({{"nan", "lost"}, {"threads", std::int64_t{2}}}));
  EXPECT_FALSE(loses_nan({{"nan", "kept"}}));
  EXPECT_FALSE(loses_nan({{"path", "lost"}}));
  EXPECT_FALSE(loses_nan({}));
}

TEST(NanLoss, OfAPlanIsThatOfAnyOfItsKernels) {
  EXPECT_TRUE(any_loses_nan("nan=lost"));
  EXPECT_TRUE(any_loses_nan("threads=2;activations=plain,nan=lost,threads=2"));
  EXPECT_TRUE(any_loses_nan("nan=lost,threads=2;;threads=1"));
  for (const char* config : {"", ";", "threads=2", "nan=lostless", "scan=lost,threads=2", "nan=;lost", "nan"}) {
    EXPECT_FALSE(any_loses_nan(config)) << config;
  }
}

}  // namespace
}  // namespace fuselab
