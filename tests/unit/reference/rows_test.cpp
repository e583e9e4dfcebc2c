// SPDX-License-Identifier: Apache-2.0
#include <cmath>

#include "tests/unit/reference/reference_support.h"

namespace fuselab {
namespace {

using test::evaluate;
using test::near;
using testing::ElementsAre;

const std::vector<double> kSix = {1, 2, 3, 4, 5, 6};

std::vector<double> row_op(const std::string& call) {
  return evaluate("graph(i0: f32[2,3]) { v0 = " + call + "; return v0 }", {kSix});
}

TEST(ReferenceRows, ReductionsOverAnyAxes) {
  EXPECT_THAT(row_op("ReduceSum(i0, axes=[1])"), ElementsAre(6, 15));
  EXPECT_THAT(row_op("ReduceSum(i0, axes=[0])"), ElementsAre(5, 7, 9));
  EXPECT_THAT(row_op("ReduceSum(i0)"), ElementsAre(21));
  EXPECT_THAT(row_op("ReduceMean(i0, axes=[-1], keepdims=0)"), ElementsAre(2, 5));
  EXPECT_THAT(row_op("ReduceMax(i0, axes=[0])"), ElementsAre(4, 5, 6));
  EXPECT_THAT(row_op("ReduceSum(i0, noop_with_empty_axes=1)"), ElementsAre(1, 2, 3, 4, 5, 6));
}

TEST(ReferenceRows, ReductionOverOuterAndInnerAxesTogether) {
  EXPECT_THAT(evaluate("graph(i0: f32[2,2,2]) { v0 = ReduceSum(i0, axes=[0,2]); return v0 }", {{1, 2, 3, 4, 5, 6, 7, 8}}),
              ElementsAre(1 + 2 + 5 + 6, 3 + 4 + 7 + 8));
}

TEST(ReferenceRows, SoftmaxOfOneTwoThree) {
  const std::vector<double> row = {0.09003057317038046, 0.24472847105479764, 0.6652409557748218};
  std::vector<double> twice = row;
  twice.insert(twice.end(), row.begin(), row.end());
  EXPECT_THAT(row_op("Softmax(i0)"), near(twice));
  EXPECT_THAT(row_op("LogSoftmax(i0, axis=1)"), near({-2.40760596444438, -1.40760596444438, -0.4076059644443804, -2.40760596444438,
                                                      -1.40760596444438, -0.4076059644443804}));
  const double low = 1 / (1 + std::exp(3.0));
  EXPECT_THAT(row_op("Softmax(i0, axis=0)"), near({low, low, low, 1 - low, 1 - low, 1 - low}));
}

TEST(ReferenceRows, SoftmaxSurvivesLargeInputs) {
  EXPECT_THAT(evaluate("graph(i0: f32[2]) { v0 = Softmax(i0); return v0 }", {{10000, 10000}}), ElementsAre(0.5, 0.5));
}

TEST(ReferenceRows, RmsNormalizationByHand) {
  const double r0 = 1 / std::sqrt(14.0 / 3 + 1e-5), r1 = 1 / std::sqrt(77.0 / 3 + 1e-5);
  EXPECT_THAT(evaluate("graph(i0: f32[2,3], p0: param f32[3]) { v0 = RMSNormalization(i0, p0); return v0 }", {kSix, {1, 2, 0.5}}),
              near({r0, 4 * r0, 1.5 * r0, 4 * r1, 10 * r1, 3 * r1}));
}

TEST(ReferenceRows, EpsilonDecidesASmallRow) {
  const auto with = [](const std::string& epsilon) {
    return evaluate("graph(i0: f32[2], p0: param f32[2]) { v0 = RMSNormalization(i0, p0, epsilon=" + epsilon + "); return v0 }",
                    {{1e-3, 1e-3}, {1, 1}})[0];
  };
  EXPECT_NEAR(with("0.000001"), 1e-3 / std::sqrt(2e-6), 1e-12);
  EXPECT_NEAR(with("0.00001"), 1e-3 / std::sqrt(1.1e-5), 1e-12);
}

TEST(ReferenceRows, LayerNormalizationWithAndWithoutBias) {
  const double s = 1 / std::sqrt(2.0 / 3 + 1e-5);
  EXPECT_THAT(evaluate("graph(i0: f32[2,3], p0: param f32[3]) { v0 = LayerNormalization(i0, p0); return v0 }", {kSix, {1, 1, 2}}),
              near({-s, 0, 2 * s, -s, 0, 2 * s}));
  EXPECT_THAT(evaluate("graph(i0: f32[2,3], p0: param f32[3], p1: param f32[3]) { v0 = LayerNormalization(i0, p0, p1); return v0 }",
                       {kSix, {1, 1, 2}, {10, 20, 30}}),
              near({10 - s, 20, 30 + 2 * s, 10 - s, 20, 30 + 2 * s}));
}

TEST(ReferenceRows, LayerNormalizationOverSeveralAxes) {
  const auto values = evaluate("graph(i0: f32[1,2,2], p0: param f32[2,2]) { v0 = LayerNormalization(i0, p0, axis=1); return v0 }",
                               {{1, 2, 3, 4}, {1, 1, 1, 1}});
  const double s = 1 / std::sqrt(1.25 + 1e-5);
  EXPECT_THAT(values, near({-1.5 * s, -0.5 * s, 0.5 * s, 1.5 * s}));
}

TEST(ReferenceRows, CrossEntropyIsTheLogProbabilityOfTheLabel) {
  const std::vector<std::vector<double>> data = {kSix, {2, 0}};
  const std::string head = "graph(i0: f32[2,3], i1: i64[2]) { v0 = SoftmaxCrossEntropyLoss(i0, i1, reduction=";
  EXPECT_THAT(evaluate(head + "\"none\"); return v0 }", data), near({0.4076059644443804, 2.40760596444438}));
  EXPECT_THAT(evaluate(head + "\"mean\"); return v0 }", data), near({(0.4076059644443804 + 2.40760596444438) / 2}));
  EXPECT_THAT(evaluate(head + "\"sum\"); return v0 }", data), near({0.4076059644443804 + 2.40760596444438}));
  EXPECT_THAT(evaluate(head + "\"mean\", ignore_index=0); return v0 }", data), near({0.4076059644443804}));
}

TEST(ReferenceRows, ALabelOutOfRangeIsAnError) {
  const Graph graph = test::graph_of("graph(i0: f32[1,3], i1: i64[1]) { v0 = SoftmaxCrossEntropyLoss(i0, i1); return v0 }");
  const auto result = evaluate_reference(graph, test::inputs_of(graph, {{1, 2, 3}, {3}}));
  ASSERT_FALSE(result.ok());
  EXPECT_THAT(result.error().message, testing::HasSubstr("label 3"));
}

TEST(ReferenceRows, TheLeastIntegerIsAMaximumToo) {
  EXPECT_THAT(evaluate("graph(i0: i64[1,2]) { v0 = ReduceMax(i0, axes=[1]); return v0 }", {{-0x1p63, -0x1p63}}),
              ElementsAre(-0x1p63));
  EXPECT_THAT(evaluate("graph(i0: i8[1,2]) { v0 = ReduceMax(i0, axes=[1]); return v0 }", {{-128, -128}}), ElementsAre(-128));
}

TEST(ReferenceRows, GlobalAveragePoolAveragesEachPlane) {
  EXPECT_THAT(evaluate("graph(i0: f32[1,2,1,3]) { v0 = GlobalAveragePool(i0); return v0 }", {kSix}), ElementsAre(2, 5));
}

}  // namespace
}  // namespace fuselab
