// SPDX-License-Identifier: Apache-2.0
#include "app/engine/measure/sample_grid.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>

namespace fuselab::engine {
namespace {

TEST(SampleGrid, IsAThousandthOfTheFasterSideInTwoDigits) {
  EXPECT_EQ(SampleGrid::of({{11'187, 11'187, 11'187}, {24'000, 24'000, 24'000}}).tenths, 110);
  EXPECT_EQ(SampleGrid::of({{24'000}, {11'187}}).tenths, 110);
  EXPECT_EQ(SampleGrid::of({{2'345'678}, {2'345'678}}).tenths, 23'000);
  EXPECT_EQ(SampleGrid::of({{3}, {3}}).tenths, 1) << "a tenth of a nanosecond, however short";
}

TEST(SampleGrid, MovesNoSampleByMoreThanHalfAThousandth) {
  const PairedSamples samples{{11'187.4, 11'203.9, 15'000.1}, {11'411.7, 980'000.3, 11'190.2}};
  const PairedSamples rounded = SampleGrid::of(samples).rounded(samples);
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_NEAR(rounded.baseline[i], samples.baseline[i], 0.0005 * 11'187.4);
    EXPECT_NEAR(rounded.candidate[i], samples.candidate[i], 0.0005 * 11'187.4);
  }
}

TEST(SampleGrid, GivesTheSameBitsFromItsStepsAndFromText) {
  const SampleGrid grid{17};
  for (int i = 0; i < 1000; ++i) {
    const double sample = grid.nanoseconds(i);
    EXPECT_EQ(grid.nanoseconds(grid.steps(sample)), sample);
    EXPECT_EQ(nlohmann::json::parse(nlohmann::json(sample).dump()).get<double>(), sample);
  }
}

TEST(SampleGrid, LeavesWhatIsNoNumberAsItIs) {
  const double none = std::numeric_limits<double>::quiet_NaN();
  const PairedSamples samples{{11.23, none}, {1, 2}};
  EXPECT_EQ(SampleGrid::of(samples).tenths, 0);
  EXPECT_EQ(SampleGrid().rounded(samples).baseline.front(), 11.23);
  EXPECT_EQ(SampleGrid::of({}).tenths, 0);
}

}  // namespace
}  // namespace fuselab::engine
