// SPDX-License-Identifier: Apache-2.0
#include "backends/gpu/rates.h"

#include <gmock/gmock.h>

namespace fuselab::gpu {
namespace {

// One that is not measured.
Rate rate_of(double per_second) {
  Rate rate;
  rate.summary.count = 1;
  rate.summary.p90 = per_second;
  return rate;
}

MeasureRate always(double per_second) {
  return [per_second](double) { return Result<Rate>(rate_of(per_second)); };
}

TEST(Rates, CountRunsOfASampleByTheFirstOnes) {
  std::vector<std::int64_t> runs;
  const auto rate = sample_rate(8, 0, 2, [&](std::int64_t repetitions) -> Result<Nanoseconds> {
    runs.push_back(repetitions);
    return Nanoseconds{1000.0 * static_cast<double>(repetitions)};
  });
  ASSERT_TRUE(rate.ok());
  EXPECT_THAT(runs, testing::ElementsAre(1, 1, 300, 300, 300, 300, 300, 300, 300));
  EXPECT_DOUBLE_EQ(rate.value().summary.median, 8e6);
}

TEST(Rates, ShareOutStreamsInWholeGranules) {
  const auto mix = StreamMix::create(9, 1, {10'000}, 4, 256);
  ASSERT_TRUE(mix.ok());
  EXPECT_EQ(mix.value().reads, 4);
  EXPECT_EQ(mix.value().each, 1792);
  EXPECT_DOUBLE_EQ(mix.value().bytes(), 5 * 1792);
  EXPECT_FALSE(StreamMix::create(0, 0, {10'000}, 4, 256).ok());
}

TEST(Rates, TakeTheBestVariantOfARow) {
  const auto mix = StreamMix::create(2, 0, {4096}, 4, 256).value();
  const std::vector<StreamRow> rows = {{64, false, {always(3), always(5)}}, {256, false, {always(4)}}};
  const auto measured = measure_stream_rows(mix, rows, 1, nullptr);
  ASSERT_TRUE(measured.ok());
  ASSERT_EQ(measured.value().size(), 2U);
  EXPECT_EQ(measured.value()[0].per_second, 5);
  EXPECT_EQ(measured.value()[1].threads, 256);
}

TEST(Rates, GiveTheBestRowTheRateOfABetterCopy) {
  const auto mix = StreamMix::create(1, 1, {4096}, 4, 256).value();
  const std::vector<StreamRow> rows = {{64, false, {always(3)}}, {256, true, {always(4)}}};
  auto measured = measure_stream_rows(mix, rows, 1, always(6)).value();
  EXPECT_EQ(measured[0].per_second, 3);
  EXPECT_EQ(measured[1].per_second, 6);
  EXPECT_TRUE(measured[1].nontemporal);
  measured = measure_stream_rows(mix, {}, 1, always(6)).value();
  ASSERT_EQ(measured.size(), 1U);
  EXPECT_EQ(measured[0].threads, 1);
}

}  // namespace
}  // namespace fuselab::gpu
