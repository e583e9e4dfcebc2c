// SPDX-License-Identifier: Apache-2.0
#include "core/base/units.h"

#include <gtest/gtest.h>

namespace fuselab {
namespace {

TEST(Units, DurationsPickTheirUnit) {
  EXPECT_EQ(format_duration({0.5}), "0.50 ns");
  EXPECT_EQ(format_duration({12.34}), "12.3 ns");
  EXPECT_EQ(format_duration({12340}), "12.3 µs");
  EXPECT_EQ(format_duration({1.82e6}), "1.82 ms");
  EXPECT_EQ(format_duration({2.5e9}), "2.50 s");
  EXPECT_EQ(format_duration({0}), "0.00 ns");
}

TEST(Units, BytesAreBinary) {
  EXPECT_EQ(format_bytes({0}), "0 B");
  EXPECT_EQ(format_bytes({1023}), "1023 B");
  EXPECT_EQ(format_bytes({1024}), "1.00 KiB");
  EXPECT_EQ(format_bytes({64 << 20}), "64.0 MiB");
  EXPECT_EQ(format_bytes({std::int64_t{3} << 40}), "3.00 TiB");
}

TEST(Units, RatesAreDecimal) {
  EXPECT_EQ(format_bandwidth(34.5e9), "34.5 GB/s");
  EXPECT_EQ(format_bandwidth(3.35e12), "3.35 TB/s");
  EXPECT_EQ(format_flop_rate(231e9), "231 GFLOP/s");
  EXPECT_EQ(format_flop_rate(1e3), "1.00 kFLOP/s");
}

TEST(Units, ThreeDigitsAlsoWhereRoundingCarries) {
  EXPECT_EQ(format_bandwidth(9.996e9), "10.0 GB/s");
  EXPECT_EQ(format_bandwidth(99.96e9), "100 GB/s");
}

TEST(Units, NanosecondsConvert) {
  const Nanoseconds duration{2.5e6};
  EXPECT_DOUBLE_EQ(duration.seconds(), 2.5e-3);
  EXPECT_DOUBLE_EQ(duration.milliseconds(), 2.5);
  EXPECT_DOUBLE_EQ(duration.microseconds(), 2500);
  EXPECT_LT(Nanoseconds{1}, Nanoseconds{2});
  EXPECT_DOUBLE_EQ(Bytes{2'000'000'000}.gigabytes(), 2.0);
}

}  // namespace
}  // namespace fuselab
