// SPDX-License-Identifier: Apache-2.0
#include "app/views/plan_words.h"

#include <gtest/gtest.h>

#include "core/graph/graph_text.h"

namespace fuselab::engine {
namespace {

bool is_single(const char* text) {
  return is_single_operator(parse_graph(text).value());
}

TEST(PlanWords, CallNothingFusedWhereOneOperatorRuns) {
  EXPECT_TRUE(is_single("graph(x: f32[8,8]) { y = Relu(x); return y }"));
  EXPECT_TRUE(is_single("graph(x: f32[8,8]) { r = Relu(x); y = Reshape(r, shape=[64]); return y }")) << "a view does not run";
  EXPECT_TRUE(is_single("graph(x: f32[8,8]) { h = Constant(value=0.5); y = Mul(x, h); return y }"));
  EXPECT_FALSE(is_single("graph(x: f32[8,8]) { r = Relu(x); y = Exp(r); return y }"));
  EXPECT_EQ(plan_word(PlanKind::kFused, true), "single");
  EXPECT_EQ(plan_word(PlanKind::kFused, false), "fused");
  EXPECT_EQ(plan_word(PlanKind::kUnfused, false), "unfused");
}

}  // namespace
}  // namespace fuselab::engine
