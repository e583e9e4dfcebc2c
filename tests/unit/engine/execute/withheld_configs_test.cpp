// SPDX-License-Identifier: Apache-2.0
#include "app/engine/kernels/withheld_configs.h"

#include <gtest/gtest.h>

namespace fuselab::engine {
namespace {

using Numbers = std::vector<ParameterValue>;

ParameterSpace space_with(const std::string& parameter, const Numbers& values) {
  ParameterSpace space;
  EXPECT_TRUE(space.add(Parameter{"threads", "", Numbers{std::int64_t{1}, std::int64_t{2}}}).ok());
  EXPECT_TRUE(space.add(Parameter{parameter, "", values}).ok());
  return space;
}

TEST(WithheldConfigs, LeaveTheSpaceUnlessTheyAreAccepted) {
  const ParameterSpace whole = space_with("winograd", {std::int64_t{0}, std::int64_t{1}});
  ParameterSpace usual = whole, accepted = whole;
  leave_out_withheld(usual, {Drawback::kNanLoss});
  leave_out_withheld(accepted, {Drawback::kWinogradError});
  EXPECT_EQ(usual.enumerate(10).size(), 2U);
  EXPECT_EQ(accepted.enumerate(10).size(), 4U);
  EXPECT_TRUE(possible_drawbacks(usual).empty());
  EXPECT_TRUE(possible_drawbacks(accepted).has(Drawback::kWinogradError));
  const auto refused = usual.check({{"threads", std::int64_t{1}}, {"winograd", std::int64_t{1}}});
  ASSERT_FALSE(refused.ok());
  EXPECT_NE(refused.error().message.find("--accept winograd-error"), std::string::npos) << refused.error().message;
}

TEST(WithheldConfigs, StayWhereNoOthersAreWithoutTheDrawback) {
  ParameterSpace space = space_with("nan", {std::string("lost")});
  leave_out_withheld(space, {});
  EXPECT_EQ(space.enumerate(10).size(), 2U) << "they are measured, shown and withheld";
}

}  // namespace
}  // namespace fuselab::engine
