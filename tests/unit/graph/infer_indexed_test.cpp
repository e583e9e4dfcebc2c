// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/unit/graph/infer_testing.h"

namespace fuselab {
namespace {

using ::testing::HasSubstr;

TEST(InferIndexed, GatherElementsHasTheShapeOfItsIndices) {
  EXPECT_EQ(inferred("x: f16[n,8], i: i64[n,3]", "GatherElements(x, i, axis=1)"), "f16[n,3]");
  EXPECT_THAT(inferred("x: f16[4,8], i: i64[5,3]", "GatherElements(x, i, axis=1)"), HasSubstr("beyond the data along axis 0"));
  EXPECT_THAT(inferred("x: f16[4,8], i: i64[4]", "GatherElements(x, i)"), HasSubstr("the rank of the data"));
  EXPECT_THAT(inferred("x: f16[4], i: f32[4]", "GatherElements(x, i)"), HasSubstr("indices must be i32 or i64"));
}

TEST(InferIndexed, GatherNDHasTuplesAndWhatTheyName) {
  EXPECT_EQ(inferred("x: f32[2,3,n], i: i64[5,2]", "GatherND(x, i)"), "f32[5,n]");
  EXPECT_EQ(inferred("x: f32[b,3,4], i: i64[b,7,1]", "GatherND(x, i, batch_dims=1)"), "f32[b,7,4]");
  EXPECT_THAT(inferred("x: f32[2,3], i: i64[5,3]", "GatherND(x, i)"), HasSubstr("tuples of 3 indices do not fit"));
  EXPECT_THAT(inferred("x: f32[2,3], i: i64[5,1]", "GatherND(x, i, batch_dims=1)"), HasSubstr("differ along axis 0"));
  EXPECT_THAT(inferred("x: f32[2,3], i: i64[2,1]", "GatherND(x, i, batch_dims=2)"), HasSubstr("batch_dims 2 does not fit"));
}

TEST(InferIndexed, ScatterKeepsTheData) {
  EXPECT_EQ(inferred("x: f32[n,8], i: i64[n,3], u: f32[n,3]", "ScatterElements(x, i, u, axis=1)"), "f32[n,8]");
  EXPECT_EQ(inferred("x: f32[9,8], i: i64[3,1], u: f32[3,8]", "ScatterND(x, i, u, reduction=\"add\")"), "f32[9,8]");
  EXPECT_THAT(inferred("x: f32[9,8], i: i64[3,1], u: f32[3]", "ScatterND(x, i, u)"),
              HasSubstr("updates must have the shape [3,8]"));
  EXPECT_THAT(inferred("x: f32[9], i: i64[3,1], u: f16[3]", "ScatterND(x, i, u)"), HasSubstr("the element type of the data"));
  EXPECT_THAT(inferred("x: f32[9], i: i64[3,1], u: f32[3]", "ScatterND(x, i, u, reduction=\"mean\")"),
              HasSubstr("reduction must be"));
}

TEST(InferBorders, PadAddsOrCutsWhatIsKnown) {
  EXPECT_EQ(inferred("x: f32[n,4]", "Pad(x, pads=[0,1,0,2])"), "f32[n,7]");
  EXPECT_EQ(inferred("x: i8[5]", "Pad(x, pads=[-1,-2], mode=\"edge\")"), "i8[2]");
  EXPECT_EQ(inferred("x: f32[n,4]", "Pad(x, pads=[1,1,0,2])"), "f32[n+1,7]");
  EXPECT_THAT(inferred("x: f32[4]", "Pad(x, pads=[-3,-2])"), HasSubstr("pads do not fit axis 0"));
  EXPECT_THAT(inferred("x: f32[4]", "Pad(x, pads=[1])"), HasSubstr("two numbers for each axis"));
  EXPECT_THAT(inferred("x: f32[4]", "Pad(x, pads=[1,1], mode=\"mirror\")"), HasSubstr("mode must be"));
  EXPECT_THAT(inferred("x: f32[0]", "Pad(x, pads=[1,1], mode=\"edge\")"), HasSubstr("nothing to copy"));
}

TEST(InferBorders, TriluIsForMatrices) {
  EXPECT_EQ(inferred("x: bool[b,n,4]", "Trilu(x, k=-1)"), "bool[b,n,4]");
  EXPECT_THAT(inferred("x: f32[4]", "Trilu(x)"), HasSubstr("needs matrices"));
}

TEST(InferRows, NegativeLogLikelihoodLossIsTypedLikeCrossEntropy) {
  EXPECT_EQ(inferred("x: f32[n,5,2], l: i64[n,2]", "NegativeLogLikelihoodLoss(x, l, reduction=\"none\")"), "f32[n,2]");
  EXPECT_EQ(inferred("x: f32[n,5], l: i64[n], w: f32[5]", "NegativeLogLikelihoodLoss(x, l, w)"), "f32[]");
}

}  // namespace
}  // namespace fuselab
