// SPDX-License-Identifier: Apache-2.0
#include "core/kernel/optimization_level.h"

#include <gmock/gmock.h>

namespace fuselab {
namespace {

TEST(OptimizationLevel, EveryLevelReadsItsOwnName) {
  for (const auto level : {OptimizationLevel::kO0, OptimizationLevel::kO1, OptimizationLevel::kO2, OptimizationLevel::kO3}) {
    const auto parsed = parse_optimization_level(name_of(level));
    ASSERT_TRUE(parsed.ok());
    EXPECT_EQ(parsed.value(), level);
  }
}

TEST(OptimizationLevel, AliasesMeanTheirLevelInAnyCase) {
  EXPECT_EQ(parse_optimization_level("none").value(), OptimizationLevel::kO0);
  EXPECT_EQ(parse_optimization_level("Debug").value(), OptimizationLevel::kO0);
  EXPECT_EQ(parse_optimization_level("CONSERVATIVE").value(), OptimizationLevel::kO1);
  EXPECT_EQ(parse_optimization_level("balanced").value(), OptimizationLevel::kO2);
  EXPECT_EQ(parse_optimization_level("BALANCED").value(), OptimizationLevel::kO2);
  EXPECT_EQ(parse_optimization_level("aggressive").value(), OptimizationLevel::kO3);
  EXPECT_EQ(parse_optimization_level("o3").value(), OptimizationLevel::kO3);
}

TEST(OptimizationLevel, UnknownNameIsAnErrorThatListsTheKnown) {
  const auto parsed = parse_optimization_level("O4");
  ASSERT_FALSE(parsed.ok());
  EXPECT_EQ(parsed.error().code, ErrorCode::kInvalidArgument);
  for (const char* known : {"O0", "O1", "O2", "O3", "debug", "balanced", "'O4'"}) {
    EXPECT_THAT(parsed.error().message, testing::HasSubstr(known));
  }
}

}  // namespace
}  // namespace fuselab
