// SPDX-License-Identifier: Apache-2.0
#include "app/gate/judge/conditions_json.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace fuselab {
namespace {

TEST(ConditionsJson, KeepTheTimeOfABlockThatTookMillionths) {
  BlockConditions conditions;
  conditions.wall_seconds = 23.4e-6;
  conditions.waited_seconds = 2e-6;
  const BlockConditions read = engine::conditions_of(engine::conditions_json(conditions));
  EXPECT_DOUBLE_EQ(read.wall_seconds, 23e-6);
  EXPECT_DOUBLE_EQ(read.waited_seconds, 2e-6);
}

}  // namespace
}  // namespace fuselab
