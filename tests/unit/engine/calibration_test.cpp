// SPDX-License-Identifier: Apache-2.0
#include "app/engine/measure/calibration.h"

#include <gtest/gtest.h>

namespace fuselab::engine {
namespace {

TEST(FootprintClass, IsNeverAboveTheFootprint) {
  for (std::int64_t bytes = 1 << 16; bytes < (1 << 28); bytes += bytes / 3 + 1) {
    const std::int64_t measured_at = footprint_class({bytes}).count;
    EXPECT_LE(measured_at, bytes);
    EXPECT_GE(measured_at, bytes * 2 / 3);
    EXPECT_EQ(measured_at % 4096, 0);
  }
}

TEST(FootprintClass, KeepsPowersOfTwo) {
  EXPECT_EQ(footprint_class({1 << 20}).count, 1 << 20);
  EXPECT_EQ(footprint_class({1 << 26}).count, 1 << 26);
}

TEST(FootprintClass, StaysWithinWhatIsMeasured) {
  EXPECT_EQ(footprint_class({1}).count, 1 << 12);
  EXPECT_EQ(footprint_class({std::int64_t{1} << 40}).count, 1 << 28);
}

}  // namespace
}  // namespace fuselab::engine
