// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/unit/graph/infer_testing.h"

namespace fuselab {
namespace {

using ::testing::HasSubstr;

TEST(InferMovement, TransposePermutesOrReverses) {
  EXPECT_EQ(inferred("x: f32[b,s,12,64]", "Transpose(x, perm=[0,2,1,3])"), "f32[b,12,s,64]");
  EXPECT_EQ(inferred("x: f32[2,3,4]", "Transpose(x)"), "f32[4,3,2]");
  EXPECT_THAT(inferred("x: f32[2,3]", "Transpose(x, perm=[0,0])"), HasSubstr("given twice"));
  EXPECT_THAT(inferred("x: f32[2,3]", "Transpose(x, perm=[0])"), HasSubstr("each of the 2 axes once"));
}

TEST(InferMovement, ReshapeCopiesAndInfers) {
  EXPECT_EQ(inferred("x: f32[2,3,4]", "Reshape(x, shape=[6,-1])"), "f32[6,4]");
  EXPECT_EQ(inferred("x: f32[b,s,768]", "Reshape(x, shape=[0,0,12,64])"), "f32[b,s,12,64]");
  EXPECT_EQ(inferred("x: f32[b,s,12,64]", "Reshape(x, shape=[0,0,-1])"), "f32[b,s,768]");
  EXPECT_EQ(inferred("x: f32[s,768]", "Reshape(x, shape=[-1,768])"), "f32[s,768]");
  EXPECT_EQ(inferred("x: f32[s,768]", "Reshape(x, shape=[-1,12,64])"), "f32[s,12,64]");
  EXPECT_EQ(inferred("x: f32[0,3]", "Reshape(x, shape=[3,0], allowzero=1)"), "f32[3,0]");
}

TEST(InferMovement, ReshapeRefusesWhatDoesNotFit) {
  EXPECT_THAT(inferred("x: f32[2,3]", "Reshape(x, shape=[4])"), HasSubstr("the number of elements differs"));
  EXPECT_THAT(inferred("x: f32[2,3]", "Reshape(x, shape=[4,-1])"), HasSubstr("no whole number"));
  EXPECT_THAT(inferred("x: f32[2,3]", "Reshape(x, shape=[-1,-1])"), HasSubstr("only one extent may be -1"));
  EXPECT_THAT(inferred("x: f32[2,3]", "Reshape(x, shape=[2,3,0])"), HasSubstr("none to copy"));
  EXPECT_EQ(inferred("x: f32[b,s]", "Reshape(x, shape=[-1])"), "f32[b*s]");
  EXPECT_THAT(inferred("x: f32[2]", "Reshape(x, shape=[1,1,1,1,1,1,1,1,2])"), HasSubstr("more than 8 dimensions"));
}

TEST(InferMovement, FlattenSqueezeUnsqueezeExpand) {
  EXPECT_EQ(inferred("x: f32[n,3,4]", "Flatten(x)"), "f32[n,12]");
  EXPECT_EQ(inferred("x: f32[2,3,4]", "Flatten(x, axis=0)"), "f32[1,24]");
  EXPECT_EQ(inferred("x: f32[2,3]", "Unsqueeze(x, axes=[0,-1])"), "f32[1,2,3,1]");
  EXPECT_EQ(inferred("x: f32[1,n,1]", "Squeeze(x)"), "f32[n]");
  EXPECT_EQ(inferred("x: f32[1,n,1]", "Squeeze(x, axes=[0])"), "f32[n,1]");
  EXPECT_THAT(inferred("x: f32[1,n,1]", "Squeeze(x, axes=[1])"), HasSubstr("axis 1 has extent n, not 1"));
  EXPECT_EQ(inferred("x: f32[n,1]", "Expand(x, shape=[2,1,5])"), "f32[2,n,5]");
  EXPECT_THAT(inferred("x: f32[3]", "Expand(x, shape=[4])"), HasSubstr("do not broadcast"));
}

TEST(InferMovement, ConcatAddsExtents) {
  EXPECT_EQ(inferred("a: f32[b,2], c: f32[b,3]", "Concat(a, c, axis=-1)"), "f32[b,5]");
  EXPECT_THAT(inferred("a: f32[b,2], c: f32[b,3]", "Concat(a, c, axis=0)"), HasSubstr("differs along axis 1: 3 against 2"));
  EXPECT_EQ(inferred("a: f32[b,2]", "Concat(a, a, axis=0)"), "f32[2*b,2]");
  EXPECT_EQ(inferred("a: f32[past,2], c: f32[seq,2], d: f32[1,2]", "Concat(a, c, d, axis=0)"), "f32[past+seq+1,2]");
  EXPECT_THAT(inferred("a: f32[4611686018427387904]", "Concat(a, a, axis=0)"), HasSubstr("too large"));
}

TEST(InferMovement, SliceClampsLikeOnnx) {
  EXPECT_EQ(inferred("x: f32[10]", "Slice(x, starts=[2], ends=[7])"), "f32[5]");
  EXPECT_EQ(inferred("x: f32[10]", "Slice(x, starts=[-3], ends=[100])"), "f32[3]");
  EXPECT_EQ(inferred("x: f32[10]", "Slice(x, starts=[0], ends=[10], steps=[3])"), "f32[4]");
  EXPECT_EQ(inferred("x: f32[10]", "Slice(x, starts=[9], ends=[-100], steps=[-1])"), "f32[10]");
  EXPECT_EQ(inferred("x: f32[10]", "Slice(x, starts=[100], ends=[0], steps=[-2])"), "f32[5]");
  EXPECT_EQ(inferred("x: f32[10]", "Slice(x, starts=[7], ends=[2])"), "f32[0]");
  EXPECT_EQ(inferred("x: f32[10]", "Slice(x, starts=[9], ends=[-100], steps=[-9223372036854775808])"), "f32[1]");
  EXPECT_EQ(inferred("x: f32[s,8]", "Slice(x, starts=[0,4], ends=[9223372036854775807,8])"), "f32[s,4]");
  EXPECT_THAT(inferred("x: f32[s,8]", "Slice(x, starts=[1], ends=[2])"), HasSubstr("how much it takes along 's' is not known"));
  EXPECT_THAT(inferred("x: f32[8]", "Slice(x, starts=[1], ends=[2], steps=[0])"), HasSubstr("must not be 0"));
  EXPECT_THAT(inferred("x: f32[8]", "Slice(x, starts=[1,2], ends=[2])"), HasSubstr("one length"));
}

TEST(InferMovement, SplitIntoGivenOrEqualPieces) {
  EXPECT_EQ(inferred("x: f32[n,6]", "Split(x, axis=-1, num_outputs=2)", 2), "f32[n,3] f32[n,3]");
  EXPECT_EQ(inferred("x: f32[7]", "Split(x, num_outputs=3)", 3), "f32[3] f32[3] f32[1]");
  EXPECT_EQ(inferred("x: f32[7]", "Split(x, split=[2,5])", 2), "f32[2] f32[5]");
  EXPECT_THAT(inferred("x: f32[7]", "Split(x, split=[2,4])", 2), HasSubstr("do not add up to 7"));
  EXPECT_THAT(inferred("x: f32[7]", "Split(x, split=[9,-2])", 2), HasSubstr("do not add up to 7"));
  EXPECT_THAT(inferred("x: f32[7]", "Split(x, num_outputs=5)", 5), HasSubstr("do not add up to 7"));
  EXPECT_THAT(inferred("x: f32[7]", "Split(x, split=[2,5])", 3), HasSubstr("has 2 outputs, but 3 names"));
  EXPECT_THAT(inferred("x: f32[n]", "Split(x, num_outputs=2)", 2), HasSubstr("until it is bound"));
}

TEST(InferMovement, GatherPutsTheIndicesInPlaceOfTheAxis) {
  EXPECT_EQ(inferred("t: param f32[32000,2048], i: i64[b,s]", "Gather(t, i)"), "f32[b,s,2048]");
  EXPECT_EQ(inferred("t: f32[2,3,4], i: i32[]", "Gather(t, i, axis=1)"), "f32[2,4]");
  EXPECT_THAT(inferred("t: f32[2,3], i: f32[1]", "Gather(t, i)"), HasSubstr("indices must be i32 or i64"));
  EXPECT_THAT(inferred("t: f32[2,3,4,5,6,7,8], i: i64[1,1,1]", "Gather(t, i)"), HasSubstr("more than 8 dimensions"));
}

TEST(InferMovement, RotaryEmbeddingChecksItsTables) {
  EXPECT_EQ(inferred("x: f32[b,8,s,64], c: f32[b,s,32], n: f32[b,s,32]", "RotaryEmbedding(x, c, n)"), "f32[b,8,s,64]");
  EXPECT_EQ(inferred("x: f32[b,s,512], c: f32[4096,32], n: f32[4096,32], p: i64[b,s]", "RotaryEmbedding(x, c, n, p, num_heads=8)"),
            "f32[b,s,512]");
  EXPECT_THAT(inferred("x: f32[b,s,512], c: f32[b,s,32], n: f32[b,s,32]", "RotaryEmbedding(x, c, n)"),
              HasSubstr("needs num_heads"));
  EXPECT_THAT(inferred("x: f32[b,8,s,64], c: f32[b,t,32], n: f32[b,t,32]", "RotaryEmbedding(x, c, n)"),
              HasSubstr("must begin with [b,s]"));
  EXPECT_THAT(inferred("x: f32[b,8,s,64], c: f32[b,s,64], n: f32[b,s,64]", "RotaryEmbedding(x, c, n)"), HasSubstr("half as wide"));
  EXPECT_EQ(inferred("x: f32[b,8,s,64], c: f32[b,s,16], n: f32[b,s,16]", "RotaryEmbedding(x, c, n, rotary_embedding_dim=32)"),
            "f32[b,8,s,64]");
}

}  // namespace
}  // namespace fuselab
