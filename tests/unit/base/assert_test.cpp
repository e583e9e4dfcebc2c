// SPDX-License-Identifier: Apache-2.0
#include "core/base/assert.h"

#include <gtest/gtest.h>

namespace fuselab {
namespace {

TEST(Assert, PassesWhatHoldsAndEvaluatesItOnce) {
  int evaluations = 0;
  FL_ASSERT(++evaluations == 1);
  EXPECT_EQ(evaluations, 1);
}

TEST(AssertDeathTest, NamesTheExpressionAndThePlace) {
  EXPECT_DEATH(FL_ASSERT(2 + 2 == 5), "assert_test\\.cpp:[0-9]+: broken expectation: 2 \\+ 2 == 5");
}

}  // namespace
}  // namespace fuselab
