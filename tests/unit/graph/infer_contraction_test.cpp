// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/unit/graph/infer_testing.h"

namespace fuselab {
namespace {

using ::testing::HasSubstr;

TEST(InferContraction, MatMulFollowsNumpy) {
  EXPECT_EQ(inferred("a: f32[2,3], b: f32[3,4]", "MatMul(a, b)"), "f32[2,4]");
  EXPECT_EQ(inferred("a: f32[batch,1,s,3], b: f32[7,3,4]", "MatMul(a, b)"), "f32[batch,7,s,4]");
  EXPECT_EQ(inferred("a: f32[3], b: f32[3,4]", "MatMul(a, b)"), "f32[4]");
  EXPECT_EQ(inferred("a: f32[2,3], b: f32[3]", "MatMul(a, b)"), "f32[2]");
  EXPECT_EQ(inferred("a: f32[3], b: f32[3]", "MatMul(a, b)"), "f32[]");
  EXPECT_EQ(inferred("a: f32[m,k], b: f32[k,n]", "MatMul(a, b)"), "f32[m,n]");
}

TEST(InferContraction, MatMulChecksTheInnerExtents) {
  EXPECT_THAT(inferred("a: f32[2,3], b: f32[4,3]", "MatMul(a, b)"),
              HasSubstr("MatMul: the inner extents differ: 3 against 4 (inputs f32[2,3], f32[4,3])"));
  EXPECT_THAT(inferred("a: f32[m,k], b: f32[j,n]", "MatMul(a, b)"), HasSubstr("k against j"));
  EXPECT_THAT(inferred("a: f32[2,2,3], b: f32[3,3,4]", "MatMul(a, b)"), HasSubstr("batch shapes"));
  EXPECT_THAT(inferred("a: f32[], b: f32[3]", "MatMul(a, b)"), HasSubstr("rank 1 or more"));
}

TEST(InferContraction, GemmTransposesItsOperands) {
  EXPECT_EQ(inferred("a: f32[2,3], b: f32[3,4], c: f32[4]", "Gemm(a, b, c)"), "f32[2,4]");
  EXPECT_EQ(inferred("a: f32[3,2], b: f32[4,3]", "Gemm(a, b, transA=1, transB=1)"), "f32[2,4]");
  EXPECT_THAT(inferred("a: f32[2,3], b: f32[3,4], c: f32[5]", "Gemm(a, b, c)"), HasSubstr("C [5] does not broadcast to [2,4]"));
  EXPECT_THAT(inferred("a: f32[2,3], b: f32[3,4], c: f32[2,2,4]", "Gemm(a, b, c)"), HasSubstr("does not broadcast"));
  EXPECT_THAT(inferred("a: f32[1,2,3], b: f32[3,4]", "Gemm(a, b)"), HasSubstr("needs two matrices"));
}

TEST(InferContraction, AttentionByHeads) {
  EXPECT_EQ(inferred("q: f32[b,8,s,64], k: f32[b,8,t,64], v: f32[b,8,t,32]", "Attention(q, k, v, is_causal=1)"), "f32[b,8,s,32]");
  EXPECT_EQ(inferred("q: f32[b,8,s,64], k: f32[b,2,t,64], v: f32[b,2,t,64], m: bool[s,t]", "Attention(q, k, v, m)"),
            "f32[b,8,s,64]");
  EXPECT_THAT(inferred("q: f32[b,8,s,64], k: f32[b,3,t,64], v: f32[b,3,t,64]", "Attention(q, k, v)"), HasSubstr("multiple"));
  EXPECT_THAT(inferred("q: f32[b,8,s,64], k: f32[b,8,t,32], v: f32[b,8,t,64]", "Attention(q, k, v)"),
              HasSubstr("do not fit each other"));
  EXPECT_THAT(inferred("q: f32[b,8,s,64], k: f32[b,8,t,64], v: f32[b,8,t,64], m: bool[t,s]", "Attention(q, k, v, m)"),
              HasSubstr("the mask [t,s] does not broadcast to [b,8,s,t]"));
}

TEST(InferContraction, AttentionCutsFlatOperandsIntoHeads) {
  EXPECT_EQ(inferred("q: f32[b,s,512], k: f32[b,t,128], v: f32[b,t,64]", "Attention(q, k, v, q_num_heads=8, kv_num_heads=2)"),
            "f32[b,s,256]");
  EXPECT_THAT(inferred("q: f32[b,s,512], k: f32[b,t,512], v: f32[b,t,512]", "Attention(q, k, v)"), HasSubstr("heads"));
  EXPECT_THAT(inferred("q: f32[b,s,510], k: f32[b,t,512], v: f32[b,t,512]", "Attention(q, k, v, q_num_heads=8, kv_num_heads=8)"),
              HasSubstr("Q's width 510 is not a multiple of 8 heads"));
}

}  // namespace
}  // namespace fuselab
