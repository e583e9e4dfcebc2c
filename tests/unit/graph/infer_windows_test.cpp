// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/unit/graph/infer_testing.h"

namespace fuselab {
namespace {

using ::testing::HasSubstr;

TEST(InferWindows, ConvolutionSlidesItsWindow) {
  EXPECT_EQ(inferred("x: f32[1,3,224,224], w: param f32[64,3,7,7]", "Conv(x, w, strides=[2,2], pads=[3,3,3,3])"),
            "f32[1,64,112,112]");
  EXPECT_EQ(inferred("x: f32[n,64,56,56], w: param f32[64,64,3,3], b: f32[64]", "Conv(x, w, b, pads=[1,1,1,1])"),
            "f32[n,64,56,56]");
  EXPECT_EQ(inferred("x: f32[1,8,10], w: f32[8,1,3]", "Conv(x, w, group=8, dilations=[2])"), "f32[1,8,6]");
  EXPECT_EQ(inferred("x: f32[1,c,h,w], k: f32[m,c,1,1]", "Conv(x, k)"), "f32[1,m,h,w]");
  EXPECT_EQ(inferred("x: f32[1,c,h,w], k: f32[m,c,3,3]", "Conv(x, k, pads=[1,1,1,1])"), "f32[1,m,h,w]");
}

TEST(InferWindows, ConvolutionChecksItsOperands) {
  EXPECT_THAT(inferred("x: f32[1,3,8,8], w: f32[4,2,3,3]", "Conv(x, w)"), HasSubstr("channels do not fit"));
  EXPECT_THAT(inferred("x: f32[1,3,2,2], w: f32[4,3,3,3]", "Conv(x, w)"),
              HasSubstr("the window of 3 is larger than the padded input"));
  EXPECT_THAT(inferred("x: f32[1,3,8,8], w: f32[4,3,3,3]", "Conv(x, w, strides=[0,1])"), HasSubstr("'strides' has 0 in it"));
  EXPECT_THAT(inferred("x: f32[1,3,8,8], w: f32[4,3,3,3]", "Conv(x, w, pads=[1,1])"), HasSubstr("'pads' needs 4 numbers, got 2"));
  EXPECT_THAT(inferred("x: f32[1,3,8,8], w: f32[4,3,3,3]", "Conv(x, w, kernel_shape=[5,5])"),
              HasSubstr("differs from the weights"));
  EXPECT_THAT(inferred("x: f32[1,3,8,8], w: f32[4,3,3,3]", "Conv(x, w, auto_pad=\"SAME_UPPER\")"),
              HasSubstr("must be written as pads"));
  EXPECT_THAT(inferred("x: f32[1,3,8,8], w: f32[4,3,3,3], b: f32[3]", "Conv(x, w, b)"), HasSubstr("one per filter"));
}

TEST(InferWindows, ResultsAlongSymbolsAreFormulas) {
  EXPECT_EQ(inferred("x: f32[1,3,h,8], w: f32[4,3,3,3]", "Conv(x, w)"), "f32[1,4,h-2,6]");
  EXPECT_EQ(inferred("x: f32[1,3,h,w], k: f32[4,3,7,7]", "Conv(x, k, strides=[2,2], pads=[3,3,3,3])"), "f32[1,4,(h+1)/2,(w+1)/2]");
  EXPECT_EQ(inferred("x: f32[1,3,(h+1)/2,8]", "MaxPool(x, kernel_shape=[2,2], strides=[2,2])"), "f32[1,3,(h+1)/4,4]");
  EXPECT_EQ(inferred("x: f32[1,1,h]", "MaxPool(x, kernel_shape=[3], pads=[1,1], ceil_mode=1)"), "f32[1,1,h]");
  EXPECT_THAT(inferred("x: f32[1,1,h]", "AveragePool(x, kernel_shape=[3], strides=[2], ceil_mode=1)"),
              HasSubstr("along 'h' is not known until that is bound"));
}

TEST(InferWindows, PoolsRoundDownOrUp) {
  EXPECT_EQ(inferred("x: f32[n,64,112,112]", "MaxPool(x, kernel_shape=[3,3], strides=[2,2], pads=[1,1,1,1])"), "f32[n,64,56,56]");
  EXPECT_EQ(inferred("x: f32[1,1,6]", "AveragePool(x, kernel_shape=[3], strides=[2])"), "f32[1,1,2]");
  EXPECT_EQ(inferred("x: f32[1,1,6]", "AveragePool(x, kernel_shape=[3], strides=[2], ceil_mode=1)"), "f32[1,1,3]");
  EXPECT_EQ(inferred("x: f32[1,1,2]", "MaxPool(x, kernel_shape=[1], strides=[2], ceil_mode=1)"), "f32[1,1,1]")
      << "a window that would begin behind the input is left out";
  EXPECT_THAT(inferred("x: f32[1,1,6]", "MaxPool(x, kernel_shape=[2], pads=[2,0])"), HasSubstr("nothing but padding"));
  EXPECT_EQ(inferred("x: f32[n,c,7,7]", "GlobalAveragePool(x)"), "f32[n,c,1,1]");
}

TEST(InferWindows, BatchNormalizationWantsOneOfEachPerChannel) {
  const char* inputs = "x: f32[n,c,7,7], s: param f32[c], b: param f32[c], m: param f32[c], v: param f32[c], w: param f32[7]";
  EXPECT_EQ(inferred(inputs, "BatchNormalization(x, s, b, m, v)"), "f32[n,c,7,7]");
  EXPECT_THAT(inferred(inputs, "BatchNormalization(x, s, b, m, w)"), HasSubstr("one per channel"));
  EXPECT_THAT(inferred(inputs, "BatchNormalization(x, s, b, m, v, training_mode=1)"), HasSubstr("training_mode is not supported"));
}

}  // namespace
}  // namespace fuselab
