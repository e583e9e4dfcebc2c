// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <limits>

#include "core/base/random.h"
#include "tests/unit/reference/reference_support.h"

namespace fuselab {
namespace {

using test::evaluate;
using test::near;
using testing::ElementsAre;

TEST(ReferenceMatMul, TwoByTwo) {
  EXPECT_THAT(evaluate("graph(i0: f32[2,2], i1: f32[2,2]) { v0 = MatMul(i0, i1); return v0 }", {{1, 2, 3, 4}, {5, 6, 7, 8}}),
              ElementsAre(19, 22, 43, 50));
}

TEST(ReferenceMatMul, VectorsAndBroadcastBatches) {
  EXPECT_THAT(evaluate("graph(i0: f32[3], i1: f32[3]) { v0 = MatMul(i0, i1); return v0 }", {{1, 2, 3}, {4, 5, 6}}),
              ElementsAre(32));
  EXPECT_THAT(
      evaluate("graph(i0: f32[2,1,2], i1: f32[2,2]) { v0 = MatMul(i0, i1); return v0 }", {{1, 2, 3, 4}, {1, 10, 100, 1000}}),
      ElementsAre(201, 2010, 403, 4030));
}

// Sizes around the blocks of the evaluator, against the definition.
TEST(ReferenceMatMul, BlockedLoopsEqualTheDefinition) {
  constexpr std::int64_t m = 3, k = 131, n = 517;
  SeededRandom random(5);
  std::vector<double> a, b;
  for (std::int64_t i = 0; i < m * k; ++i) a.push_back(random.unit() - 0.5);
  for (std::int64_t i = 0; i < k * n; ++i) b.push_back(random.unit() - 0.5);
  const auto c = evaluate("graph(i0: f64[3,131], i1: f64[131,517]) { v0 = MatMul(i0, i1); return v0 }", {a, b});
  for (std::int64_t i = 0; i < m; ++i) {
    for (std::int64_t j = 0; j < n; ++j) {
      double sum = 0;
      for (std::int64_t l = 0; l < k; ++l) sum += a[static_cast<std::size_t>(i * k + l)] * b[static_cast<std::size_t>(l * n + j)];
      ASSERT_NEAR(c[static_cast<std::size_t>(i * n + j)], sum, 1e-12);
    }
  }
}

TEST(ReferenceGemm, TransposesScalesAndAdds) {
  EXPECT_THAT(
      evaluate("graph(i0: f32[3,2], i1: f32[2,3], i2: f32[2]) { v0 = Gemm(i0, i1, i2, transA=1, transB=1, alpha=2.0, beta=0.5); "
               "return v0 }",
               {{1, 4, 2, 5, 3, 6}, {1, 0, 0, 1, 1, 1}, {10, 20}}),
      ElementsAre(7, 22, 13, 40));
}

TEST(ReferenceConv, OnesOverACrossOfNeighbours) {
  // The ONNX specification's example: 5×5 of 0…24, 3×3 ones, padded.
  std::vector<double> x;
  for (int i = 0; i < 25; ++i) x.push_back(i);
  const std::vector<double> ones(9, 1);
  EXPECT_THAT(
      evaluate("graph(i0: f32[1,1,5,5], p0: param f32[1,1,3,3]) { v0 = Conv(i0, p0, pads=[1,1,1,1]); return v0 }", {x, ones}),
      ElementsAre(12, 21, 27, 33, 24, 33, 54, 63, 72, 51, 63, 99, 108, 117, 81, 93, 144, 153, 162, 111, 72, 111, 117, 123, 84));
  EXPECT_THAT(evaluate("graph(i0: f32[1,1,5,5], p0: param f32[1,1,3,3]) { v0 = Conv(i0, p0); return v0 }", {x, ones}),
              ElementsAre(54, 63, 72, 99, 108, 117, 144, 153, 162));
}

TEST(ReferenceConv, StridesDilationsAndBias) {
  std::vector<double> x;
  for (int i = 0; i < 7; ++i) x.push_back(i);
  // One axis; taps 0, 2, 4 from -1: [x1+x3] …, every second output.
  EXPECT_THAT(evaluate("graph(i0: f32[1,1,7], p0: param f32[1,1,3], p1: param f32[1]) {"
                       " v0 = Conv(i0, p0, p1, pads=[1,1], strides=[2], dilations=[2]); return v0 }",
                       {x, {1, 10, 100}, {0.5}}),
              ElementsAre(0 + 10 + 300 + 0.5, 1 + 30 + 500 + 0.5, 3 + 50 + 0 + 0.5));
}

TEST(ReferenceConv, GroupsKeepToTheirChannels) {
  EXPECT_THAT(evaluate("graph(i0: f32[1,2,2,1], p0: param f32[4,1,1,1]) { v0 = Conv(i0, p0, group=2); return v0 }",
                       {{1, 2, 3, 4}, {1, 10, 100, 1000}}),
              ElementsAre(1, 2, 10, 20, 300, 400, 3000, 4000));
}

TEST(ReferenceConv, BatchesAndManyChannels) {
  EXPECT_THAT(evaluate("graph(i0: f32[2,2,1,2], p0: param f32[1,2,1,2]) { v0 = Conv(i0, p0); return v0 }",
                       {{1, 2, 3, 4, 5, 6, 7, 8}, {1, 10, 100, 1000}}),
              ElementsAre(1 + 20 + 300 + 4000, 5 + 60 + 700 + 8000));
}

TEST(ReferencePool, OfAWindowInThePaddingIsTheLeastOfItsType) {
  const std::string pool = "v0 = MaxPool(i0, kernel_shape=[2,2], dilations=[2,2], pads=[1,1,1,1]); return v0 }";
  EXPECT_THAT(evaluate("graph(i0: i8[1,1,1,1]) { " + pool, {{5}}), ElementsAre(-128));
  EXPECT_THAT(evaluate("graph(i0: u8[1,1,1,1]) { " + pool, {{5}}), ElementsAre(0));
}

TEST(ReferencePool, MaxAndAverageWithPadding) {
  const std::vector<double> x = {1, 2, 3, 4};
  const auto pool = [&](const std::string& call) {
    return evaluate("graph(i0: f32[1,1,2,2]) { v0 = " + call + "; return v0 }", {x});
  };
  EXPECT_THAT(pool("MaxPool(i0, kernel_shape=[2,2])"), ElementsAre(4));
  EXPECT_THAT(pool("AveragePool(i0, kernel_shape=[2,2])"), ElementsAre(2.5));
  EXPECT_THAT(pool("MaxPool(i0, kernel_shape=[2,2], pads=[1,1,0,0])"), ElementsAre(1, 2, 3, 4));
  EXPECT_THAT(pool("AveragePool(i0, kernel_shape=[2,2], pads=[1,1,0,0])"), ElementsAre(1, 1.5, 2, 2.5));
  EXPECT_THAT(pool("AveragePool(i0, kernel_shape=[2,2], pads=[1,1,0,0], count_include_pad=1)"), ElementsAre(0.25, 0.75, 1, 2.5));
}

TEST(ReferencePool, CeilModeKeepsTheLastPartialWindow) {
  EXPECT_THAT(evaluate("graph(i0: f32[1,1,5]) { v0 = AveragePool(i0, kernel_shape=[2], strides=[2], ceil_mode=1); return v0 }",
                       {{1, 2, 3, 4, 5}}),
              ElementsAre(1.5, 3.5, 5));
}

TEST(ReferenceBatchNormalization, UsesTheGivenStatistics) {
  EXPECT_THAT(evaluate("graph(i0: f32[1,2,2], p0: param f32[2], p1: param f32[2], p2: param f32[2], p3: param f32[2]) {"
                       " v0 = BatchNormalization(i0, p0, p1, p2, p3, epsilon=0.0); return v0 }",
                       {{1, 2, 3, 4}, {1, 2}, {0, 10}, {1, 3}, {4, 0.25}}),
              ElementsAre(0, 0.5, 10, 14));
}

TEST(ReferenceAttention, OneKeyIsItsValue) {
  EXPECT_THAT(evaluate("graph(i0: f32[1,1,1,2], i1: f32[1,1,1,2], i2: f32[1,1,1,3]) { v0 = Attention(i0, i1, i2); return v0 }",
                       {{1, 2}, {3, 4}, {5, 6, 7}}),
              ElementsAre(5, 6, 7));
}

TEST(ReferenceAttention, WeighsValuesByTheSoftmaxOfScaledScores) {
  // Scores 0 and 2·1/√4 = 1 with the default scale.
  const double w = 1 / (1 + std::exp(-1.0));
  const std::vector<std::vector<double>> data = {{2, 0, 0, 0}, {0, 0, 0, 0, 1, 0, 0, 0}, {10, 20}};
  const std::string head = "graph(i0: f32[1,1,1,4], i1: f32[1,1,2,4], i2: f32[1,1,2,1]) { v0 = Attention(i0, i1, i2";
  EXPECT_THAT(evaluate(head + "); return v0 }", data), near({10 * (1 - w) + 20 * w}));
  EXPECT_THAT(evaluate(head + ", scale=0.0); return v0 }", data), near({15}));
  EXPECT_THAT(evaluate(head + ", is_causal=1); return v0 }", data), near({10}));
}

TEST(ReferenceAttention, MasksByBoolAndByAddition) {
  EXPECT_THAT(evaluate("graph(i0: f32[1,1,1,1], i1: f32[1,1,2,1], i2: f32[1,1,2,1], i3: bool[1,2]) {"
                       " v0 = Attention(i0, i1, i2, i3); return v0 }",
                       {{1}, {5, 1}, {10, 20}, {0, 1}}),
              near({20}));
  const double w = 1 / (1 + std::exp(-1.0));
  EXPECT_THAT(evaluate("graph(i0: f32[1,1,1,1], i1: f32[1,1,2,1], i2: f32[1,1,2,1], i3: f32[1,1,1,2]) {"
                       " v0 = Attention(i0, i1, i2, i3); return v0 }",
                       {{1}, {5, 1}, {10, 20}, {-3, 2}}),
              near({10 * (1 - w) + 20 * w}));
}

// Of a mask that hides all keys the operator's result is 0, and of the same written out NaN: Softmax has no such rule.
TEST(ReferenceAttention, AQueryThatSeesNoKeyGivesZero) {
  const double infinity = std::numeric_limits<double>::infinity();
  const std::string operands = "graph(i0: f32[1,1,2,1], i1: f32[1,1,2,1], i2: f32[1,1,2,1], i3: ";
  EXPECT_THAT(
      evaluate(operands + "bool[2,2]) { v0 = Attention(i0, i1, i2, i3); return v0 }", {{1, 1}, {5, 1}, {10, 20}, {0, 0, 0, 1}}),
      near({0, 20}));
  EXPECT_THAT(evaluate(operands + "f32[2,2]) { v0 = Attention(i0, i1, i2, i3); return v0 }",
                       {{1, 1}, {5, 1}, {10, 20}, {0, -infinity, -infinity, -infinity}}),
              near({10, 0}));
  EXPECT_THAT(evaluate(operands + "bool[2,2]) { v0 = Attention(i0, i1, i2, i3, is_causal=1); return v0 }",
                       {{1, 1}, {5, 1}, {10, 20}, {0, 1, 0, 1}}),
              near({0, 20}));
  const auto written_out =
      evaluate(operands +
                   "f32[2,2]) { t = Transpose(i1, perm=[0,1,3,2]); s = MatMul(i0, t); m = Add(s, i3); p = Softmax(m);"
                   " v0 = MatMul(p, i2); return v0 }",
               {{1, 1}, {5, 1}, {10, 20}, {0, -infinity, -infinity, -infinity}});
  EXPECT_THAT(written_out, ElementsAre(10, testing::IsNan()));
}

TEST(ReferenceAttention, GroupedHeadsShareKeysAndTheFlatLayoutAgrees) {
  SeededRandom random(9);
  std::vector<double> q, k, v;
  for (int i = 0; i < 4 * 3 * 2; ++i) q.push_back(random.unit() - 0.5);
  for (int i = 0; i < 2 * 5 * 2; ++i) k.push_back(random.unit() - 0.5), v.push_back(random.unit());
  const std::string by_heads = "Attention(qh, kh, vh)";
  const Graph graph = test::graph_of(
      "graph(i0: f32[1,3,8], i1: f32[1,5,4], i2: f32[1,5,4]) {"
      " flat = Attention(i0, i1, i2, q_num_heads=4, kv_num_heads=2);"
      " q4 = Reshape(i0, shape=[1,3,4,2]); k4 = Reshape(i1, shape=[1,5,2,2]); v4 = Reshape(i2, shape=[1,5,2,2]);"
      " qh = Transpose(q4, perm=[0,2,1,3]); kh = Transpose(k4, perm=[0,2,1,3]); vh = Transpose(v4, perm=[0,2,1,3]);"
      " oh = " +
      by_heads + "; ot = Transpose(oh, perm=[0,2,1,3]); o = Reshape(ot, shape=[1,3,8]); return flat, o }");
  const auto outputs = evaluate_reference(graph, test::inputs_of(graph, {q, k, v}));
  ASSERT_TRUE(outputs.ok());
  EXPECT_THAT(outputs.value()[0].data, near(outputs.value()[1].data));
}

}  // namespace
}  // namespace fuselab
