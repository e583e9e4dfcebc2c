// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "core/cost/cost.h"
#include "tests/support/graph_builder.h"

namespace fuselab {
namespace {

double flops(std::string_view text) {
  return cost_of(testing::graph_from(text)).value().flops;
}

TEST(Flops, ContractionsCountMultiplyAndAdd) {
  EXPECT_EQ(flops("graph(a: f32[2,3], b: f32[3,4]) { y = MatMul(a, b); return y }"), 2 * 2 * 3 * 4);
  EXPECT_EQ(flops("graph(a: f32[5,2,3], b: f32[3,4]) { y = MatMul(a, b); return y }"), 5 * 2 * 2 * 3 * 4);
  EXPECT_EQ(flops("graph(a: f32[3], b: f32[3]) { y = MatMul(a, b); return y }"), 6);
  EXPECT_EQ(flops("graph(a: f32[3,2], b: f32[3,4], c: f32[4]) { y = Gemm(a, b, c, transA=1); return y }"), 2 * 2 * 3 * 4 + 8);
}

TEST(Flops, ConvolutionsCountEachOutputsFilter) {
  // 2·N·K·P·Q·C·R·S
  EXPECT_EQ(flops("graph(x: f32[2,3,8,8], w: f32[4,3,3,3]) { y = Conv(x, w, pads=[1,1,1,1]); return y }"),
            2.0 * 2 * 4 * 8 * 8 * 3 * 3 * 3);
  EXPECT_EQ(flops("graph(x: f32[1,4,8,8], w: f32[4,1,3,3]) { y = Conv(x, w, pads=[1,1,1,1], group=4); return y }"),
            2.0 * 4 * 8 * 8 * 3 * 3);
}

TEST(Flops, AttentionIsTwoContractionsAndASoftmax) {
  const double expected = 2.0 * 2 * 4 * 5 * 6 * 8 + 2.0 * 2 * 4 * 5 * 6 * 7 + 5.0 * 2 * 4 * 5 * 6;
  EXPECT_EQ(flops("graph(q: f32[2,4,5,8], k: f32[2,4,6,8], v: f32[2,4,6,7]) { y = Attention(q, k, v); return y }"), expected);
  EXPECT_EQ(flops("graph(q: f32[2,5,32], k: f32[2,6,32], v: f32[2,6,28]) { y = Attention(q, k, v, q_num_heads=4, kv_num_heads=4); "
                  "return y }"),
            expected);
}

TEST(Flops, RecurrencesCountBothProductsAndWhatJoinsThem) {
  const double products = 2.0 * 4 * (11 + 9), biases = 2 * 4, functions = 5 * 4, joining = 4;
  EXPECT_EQ(flops("graph(x: f32[5,3,11], w: f32[1,36,11], r: f32[1,36,9]) { y, h, c = LSTM(x, w, r); return y }"),
            5 * 3 * 9 * (products + biases + functions + joining));
  EXPECT_EQ(
      flops("graph(x: f32[5,3,11], w: f32[2,9,11], r: f32[2,9,9]) { y, h = RNN(x, w, r, direction=\"bidirectional\"); return h }"),
      5 * 2 * 3 * 9 * (2.0 * 20 + 2 + 4));
}

TEST(Flops, RowOperatorsCountTheirInput) {
  EXPECT_EQ(flops("graph(x: f32[4,8]) { y = ReduceSum(x, axes=[1]); return y }"), 32);
  EXPECT_EQ(flops("graph(x: f32[4,8]) { y = Softmax(x); return y }"), 5 * 32);
}

TEST(Flops, ElementWiseOperatorsCountTheirResult) {
  EXPECT_EQ(flops("graph(x: f32[4,1], z: f32[8]) { y = Add(x, z); return y }"), 32);
  EXPECT_EQ(flops("graph(x: f32[4]) { y = Max(x, x, x); return y }"), 8);
  EXPECT_EQ(flops("graph(x: f32[4]) { y = Gelu(x); return y }"), 20);
  EXPECT_EQ(flops("graph(x: f32[4]) { y = Gelu(x, approximate=\"tanh\"); return y }"), 36);
}

TEST(Flops, MovementComputesNothing) {
  EXPECT_EQ(flops("graph(x: f32[4,8]) { y = Transpose(x); z = Reshape(y, shape=[-1]); return z }"), 0);
}

TEST(Flops, PoolsCountTheirWindow) {
  EXPECT_EQ(flops("graph(x: f32[1,2,8,8]) { y = MaxPool(x, kernel_shape=[2,2], strides=[2,2]); return y }"), 4 * 2 * 16);
  EXPECT_EQ(flops("graph(x: f32[1,2,8,8]) { y = GlobalAveragePool(x); return y }"), 128);
}

}  // namespace
}  // namespace fuselab
