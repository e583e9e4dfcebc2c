// SPDX-License-Identifier: Apache-2.0
#include "app/engine/execute/steady_sums.h"

#include <gtest/gtest.h>

namespace fuselab::engine {
namespace {

ExecutedUse use(const std::string& operators, double steady) {
  ExecutedUse each;
  each.operators = operators;
  each.steady = {steady};
  return each;
}

TEST(SteadySums, AddUpByKindAndSortByTime) {
  ExecutionResult run;
  run.uses = {use("Relu", 10), use("MatMul+Add", 60), use("Relu", 30)};
  for (int pass = 1; pass <= 20; ++pass) run.passes.push_back({100.0 + pass});
  const auto sums = steady_sums(run);
  ASSERT_TRUE(sums);
  EXPECT_EQ(sums->passes, 20);
  EXPECT_DOUBLE_EQ(sums->least.count, 101);
  EXPECT_DOUBLE_EQ(sums->median.count, 110.5);
  EXPECT_DOUBLE_EQ(sums->most95.count, 119) << "one pass of twenty is longer";
  ASSERT_EQ(sums->rows.size(), 2U);
  EXPECT_EQ(sums->rows[0].operators, "MatMul+Add");
  EXPECT_DOUBLE_EQ(sums->rows[0].share, 0.6);
  EXPECT_EQ(sums->rows[1].pieces, 2);
  EXPECT_DOUBLE_EQ(sums->rows[1].time.count, 40);
}

TEST(SteadySums, AreNoneWithoutPasses) {
  ExecutionResult run;
  run.uses = {use("Relu", 0)};
  EXPECT_FALSE(steady_sums(run));
}

}  // namespace
}  // namespace fuselab::engine
