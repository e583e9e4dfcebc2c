// SPDX-License-Identifier: Apache-2.0
#include "core/base/version.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

namespace fuselab {
namespace {

TEST(Version, IsThreeNumbers) {
  EXPECT_THAT(std::string(tool_version()), ::testing::MatchesRegex("[0-9]+\\.[0-9]+\\.[0-9]+"));
}

}  // namespace
}  // namespace fuselab
