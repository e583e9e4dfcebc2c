// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/unit/graph/infer_testing.h"

namespace fuselab {
namespace {

using ::testing::HasSubstr;

TEST(InferRows, ReductionsDropOrKeepTheirAxes) {
  for (const char* op : {"ReduceSum", "ReduceMean", "ReduceMax"}) {
    const std::string name(op);
    EXPECT_EQ(inferred("x: f32[batch,seq,8]", name + "(x, axes=[-1])"), "f32[batch,seq,1]");
    EXPECT_EQ(inferred("x: f32[batch,seq,8]", name + "(x, axes=[0,2], keepdims=0)"), "f32[seq]");
    EXPECT_EQ(inferred("x: f32[batch,seq,8]", name + "(x)"), "f32[1,1,1]");
    EXPECT_EQ(inferred("x: f32[2,3]", name + "(x, keepdims=0)"), "f32[]");
    EXPECT_EQ(inferred("x: f32[2,3]", name + "(x, noop_with_empty_axes=1)"), "f32[2,3]");
  }
}

TEST(InferRows, ReductionsCheckTheirAxes) {
  EXPECT_THAT(inferred("x: f32[2,3]", "ReduceSum(x, axes=[2])"), HasSubstr("ReduceSum: axis 2 is outside rank 2"));
  EXPECT_THAT(inferred("x: f32[2,3]", "ReduceSum(x, axes=[-3])"), HasSubstr("axis -3 is outside rank 2"));
  EXPECT_THAT(inferred("x: f32[2,3]", "ReduceSum(x, axes=[1,-1])"), HasSubstr("axis -1 is given twice"));
  EXPECT_THAT(inferred("x: f32[2,3]", "ReduceSum(x, axes=[9223372036854775807])"), HasSubstr("outside rank 2"));
}

TEST(InferRows, SoftmaxKeepsItsType) {
  EXPECT_EQ(inferred("x: f32[rows,9]", "Softmax(x)"), "f32[rows,9]");
  EXPECT_EQ(inferred("x: f32[rows,9]", "LogSoftmax(x, axis=0)"), "f32[rows,9]");
  EXPECT_THAT(inferred("x: f32[]", "Softmax(x)"), HasSubstr("axis -1 is outside rank 0"));
  EXPECT_THAT(inferred("x: i32[4]", "Softmax(x)"), HasSubstr("floating-point"));
}

TEST(InferRows, NormsCheckScaleAndBias) {
  EXPECT_EQ(inferred("x: f32[b,s,8], w: param f32[8], c: param f32[8]", "LayerNormalization(x, w, c)"), "f32[b,s,8]");
  EXPECT_EQ(inferred("x: f32[b,s,8], w: param f32[8]", "RMSNormalization(x, w, epsilon=1e-6)"), "f32[b,s,8]");
  EXPECT_EQ(inferred("x: f32[2,4,8], w: param f32[4,8]", "LayerNormalization(x, w, axis=1)"), "f32[2,4,8]");
  EXPECT_THAT(inferred("x: f32[2,8], w: f32[4]", "LayerNormalization(x, w)"),
              HasSubstr("the scale [4] does not fit the normalised axes [8]"));
  EXPECT_THAT(inferred("x: f32[2,8], w: f32[8], c: f32[2,8]", "LayerNormalization(x, w, c)"), HasSubstr("the bias [2,8]"));
}

TEST(InferRows, CrossEntropyReducesToALoss) {
  EXPECT_EQ(inferred("x: f32[n,9], t: i64[n]", "SoftmaxCrossEntropyLoss(x, t)"), "f32[]");
  EXPECT_EQ(inferred("x: f32[n,9], t: i64[n]", "SoftmaxCrossEntropyLoss(x, t, reduction=\"none\")"), "f32[n]");
  EXPECT_EQ(inferred("x: f32[n,9,5], t: i32[n,5], w: f32[9]", "SoftmaxCrossEntropyLoss(x, t, w, reduction=\"none\")"), "f32[n,5]");
  EXPECT_THAT(inferred("x: f32[n,9], t: i64[9]", "SoftmaxCrossEntropyLoss(x, t)"), HasSubstr("labels must have the shape [n]"));
  EXPECT_THAT(inferred("x: f32[n,9], t: f32[n]", "SoftmaxCrossEntropyLoss(x, t)"), HasSubstr("labels must be i32 or i64"));
  EXPECT_THAT(inferred("x: f32[n,9], t: i64[n], w: f32[8]", "SoftmaxCrossEntropyLoss(x, t, w)"), HasSubstr("one per class"));
  EXPECT_THAT(inferred("x: f32[n,9], t: i64[n]", "SoftmaxCrossEntropyLoss(x, t, reduction=\"most\")"),
              HasSubstr("reduction must be"));
}

TEST(InferRows, PlacesAreWholeNumbers) {
  EXPECT_EQ(inferred("x: f16[2,n,4]", "ArgMax(x, axis=1)"), "i64[2,1,4]");
  EXPECT_EQ(inferred("x: i8[2,n,4]", "ArgMin(x, axis=-1, keepdims=0)"), "i64[2,n]");
  EXPECT_THAT(inferred("x: f32[2,0]", "ArgMax(x, axis=1)"), ::testing::HasSubstr("no place along an empty axis"));
  EXPECT_THAT(inferred("x: f32[2]", "ArgMax(x, axis=1)"), ::testing::HasSubstr("axis 1 is outside rank 1"));
}

TEST(InferRows, ScansKeepTheirType) {
  EXPECT_EQ(inferred("x: i32[2,n]", "CumSum(x, axis=1, reverse=1)"), "i32[2,n]");
  EXPECT_EQ(inferred("x: f32[2,n]", "Hardmax(x)"), "f32[2,n]");
  EXPECT_EQ(inferred("x: i32[2,n]", "ReduceProd(x, axes=[0])"), "i32[1,n]");
  EXPECT_THAT(inferred("x: i32[2]", "CumSum(x)"), ::testing::HasSubstr("needs the attribute 'axis'"));
}

}  // namespace
}  // namespace fuselab
