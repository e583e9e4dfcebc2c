// SPDX-License-Identifier: Apache-2.0
#include "core/kernel/drawback.h"

#include <gtest/gtest.h>

namespace fuselab {
namespace {

const Drawbacks kNan = {Drawback::kNanLoss};
const Drawbacks kWinograd = {Drawback::kWinogradError};
const Drawbacks kPrecision = {Drawback::kPrecisionLoss};

TEST(Drawback, IsStatedByOneParameterWithOneValue) {
  EXPECT_EQ(drawbacks_of(LaunchConfig{{"nan", "lost"}, {"threads", std::int64_t{2}}}), kNan);
  EXPECT_EQ(drawbacks_of(LaunchConfig{{"winograd", std::int64_t{1}}}), kWinograd);
  EXPECT_TRUE(drawbacks_of(LaunchConfig{{"nan", "kept"}}).empty());
  EXPECT_TRUE(drawbacks_of(LaunchConfig{{"path", "lost"}}).empty());
  EXPECT_TRUE(drawbacks_of(LaunchConfig{{"winograd", std::int64_t{0}}}).empty());
  EXPECT_TRUE(drawbacks_of(LaunchConfig{}).empty());
}

TEST(Drawback, OfAPlanIsThatOfAnyOfItsKernels) {
  EXPECT_EQ(drawbacks_of("nan=lost"), kNan);
  EXPECT_EQ(drawbacks_of("threads=2;activations=plain,nan=lost,threads=2"), kNan);
  EXPECT_EQ(drawbacks_of("nan=lost,threads=2;;threads=1"), kNan);
  EXPECT_EQ(drawbacks_of("nan=lost,threads=2;threads=2,winograd=1"), (kNan | kWinograd));
  for (const char* config : {"", ";", "threads=2", "nan=lostless", "scan=lost,threads=2", "nan=;lost", "nan", "winograd=10"}) {
    EXPECT_TRUE(drawbacks_of(config).empty()) << config;
  }
}

TEST(Drawback, IsWithheldUnlessItIsAccepted) {
  const std::string both = "nan=lost;winograd=1";
  EXPECT_EQ(plan_drawbacks(both, {}).withheld, (kNan | kWinograd));
  EXPECT_EQ(plan_drawbacks(both, kNan).withheld, kWinograd);
  EXPECT_TRUE(plan_drawbacks(both, kNan).is_withheld());
  EXPECT_FALSE(plan_drawbacks(both, kNan | kWinograd).is_withheld());
  EXPECT_TRUE(plan_drawbacks(both, kNan | kWinograd).any());
  EXPECT_FALSE(plan_drawbacks("threads=2", {}).any());
}

TEST(Drawback, AsAParameterStatesItself) {
  LaunchConfig config;
  for (const DrawbackParameter& each : parameters_of(kNan | kPrecision)) {
    config.set(each.name, each.value);
    EXPECT_EQ(each.description.find("lost: "), 0U) << each.description;
  }
  EXPECT_EQ(drawbacks_of(config), (kNan | kPrecision));
  EXPECT_EQ(statements_of(kNan | kPrecision), "nan=lost, precision=lost");
  EXPECT_TRUE(parameters_of({}).empty());
}

TEST(Drawback, OfErrorsHasAWiderTolerance) {
  EXPECT_TRUE(has_wider_tolerance(kWinograd));
  EXPECT_TRUE(has_wider_tolerance(kPrecision | kNan));
  EXPECT_FALSE(has_wider_tolerance(kNan));
}

TEST(Drawback, TellsWhatTakesIt) {
  EXPECT_EQ(why_withheld(kNan), "it loses NaN (--accept nan-loss takes it)");
  EXPECT_EQ(why_withheld(kNan | kWinograd),
            "it loses NaN and has Winograd's error (--accept nan-loss --accept winograd-error takes it)");
}

}  // namespace
}  // namespace fuselab
