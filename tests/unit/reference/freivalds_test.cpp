// SPDX-License-Identifier: Apache-2.0
#include "core/reference/freivalds.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <string>

#include "tests/unit/reference/reference_support.h"

namespace fuselab {
namespace {

using test::graph_of;

constexpr int kRounds = 20;

// A graph on uniform inputs, its true result rounded to its type, and the check of it.
struct Case {
  explicit Case(std::string_view text, std::vector<RealTensor> given = {})
      : graph(graph_of(text)), inputs(given.empty() ? make_inputs(graph, {}) : std::move(given)) {
    for (RealTensor& input : inputs) round_to_dtype(input);
    right = evaluate_reference(graph, inputs).value().at(0);
    round_to_dtype(right);
    check = FreivaldsCheck::create(graph, inputs, kRounds, 1);
  }
  Verification judge(const RealTensor& actual) const { return check.value().judge(actual); }
  Verification with(std::size_t at, double value) const {
    RealTensor wrong = right;
    wrong.data.at(at) = value;
    return judge(wrong);
  }

  Graph graph;
  std::vector<RealTensor> inputs;
  RealTensor right;
  std::optional<FreivaldsCheck> check;
};

// Affine in the product, 30 rows of 40 (or three batches of them).
const std::vector<std::string> kAffine = {
    "graph(i0: f32[30,50], p0: param f32[50,40]) { v0 = MatMul(i0, p0); return v0 }",
    "graph(i0: f32[50,30], p0: param f32[40,50], p1: param f32[40]) {"
    " v0 = Gemm(i0, p0, p1, transA=1, transB=1, alpha=0.7, beta=2.5); return v0 }",
    "graph(i0: f32[30,50], p0: param f32[50,40], p1: param f32[40]) { v0 = MatMul(i0, p0); v1 = Add(p1, v0); return v1 }",
    "graph(i0: f32[30,50], p0: param f32[50,40], i1: f32[30,40]) { v0 = MatMul(i0, p0); v1 = Sub(i1, v0); return v1 }",
    "graph(i0: f32[3,30,50], i1: f32[3,50,40], i2: f32[3,1,1]) {"
    " v0 = MatMul(i0, i1); v1 = Constant(value=0.125); v2 = Mul(v0, v1); v3 = Mul(v2, i2); return v3 }",
    "graph(i0: f32[30,50], p0: param f32[50,40], p1: param f32[40], p2: param f32[30,1], i1: f32[30,40]) {"
    " v0 = MatMul(i0, p0); v1 = Mul(v0, p1); v2 = Neg(v1); v3 = Add(v2, p1); v4 = Mul(v3, p2); v5 = Add(v4, i1); return v5 }",
    "graph(i0: f32[30,50], p0: param f32[50,40], p1: param f32[40], i1: f32[2,15,40]) {"
    " v0 = Gemm(i0, p0, p1); v1 = Reshape(v0, shape=[2,15,40]); v2 = Add(v1, i1); v3 = Constant(value=3.0); v4 = Div(v2, v3);"
    " return v4 }",
    "graph(i0: f32[2,15,50], p0: param f32[50,40]) { v0 = Reshape(i0, shape=[30,50]); v1 = MatMul(v0, p0); return v1 }",
    "graph(p0: param f32[30,50], i0: f32[50], i1: f32[30]) { v0 = MatMul(p0, i0); v1 = Mul(v0, i1); v2 = Add(v1, i1); return v2 }",
};

TEST(FreivaldsCheck, AcceptsARightResultBehindAnyAffineEpilogue) {
  for (const std::string& text : kAffine) {
    const Case test(text);
    ASSERT_TRUE(test.check) << text;
    const Verification found = test.judge(test.right);
    EXPECT_TRUE(found.passed) << text << ": " << found.detail;
    EXPECT_GE(found.checked, kRounds * 30);
    EXPECT_LT(found.worst_ratio, 1) << text;
  }
}

TEST(FreivaldsCheck, FindsASingleWrongElementWhereverItIs) {
  for (const std::string& text : kAffine) {
    const Case test(text);
    for (std::size_t at = 0; at < test.right.data.size(); at += 11) {
      const double value = test.right.data[at];
      EXPECT_FALSE(test.with(at, value + 1e-3 * (1 + std::fabs(value))).passed) << text << " at " << at;
    }
  }
}

TEST(FreivaldsCheck, AWrongColumnScaleOrAForgottenResidualFails) {
  const Case test(kAffine[5]);
  const std::size_t rows = 30, columns = 40;
  RealTensor forgotten = test.right;
  for (std::size_t i = 0; i < forgotten.data.size(); ++i) forgotten.data[i] -= test.inputs[4].data[i];
  EXPECT_FALSE(test.judge(forgotten).passed);
  RealTensor column = test.right;
  for (std::size_t i = 0; i < rows; ++i) column.data[i * columns + 17] *= 1.01;
  EXPECT_FALSE(test.judge(column).passed);
}

TEST(FreivaldsCheck, WhatIsNotFiniteFailsWhereTheProductIs) {
  const Case test(kAffine[2]);
  EXPECT_FALSE(test.with(77, std::numeric_limits<double>::quiet_NaN()).passed);
  EXPECT_FALSE(test.with(77, std::numeric_limits<double>::infinity()).passed);
}

// f32 sums in the order of their terms, the worst a kernel does, with the bias added in f32 too.
std::vector<float> sequential(const Case& test, std::size_t rows, std::size_t depth, std::size_t columns) {
  std::vector<float> result(rows * columns);
  for (std::size_t i = 0; i < rows; ++i) {
    for (std::size_t j = 0; j < columns; ++j) {
      float sum = 0;
      for (std::size_t k = 0; k < depth; ++k) {
        sum += static_cast<float>(test.inputs[0].data[i * depth + k]) * static_cast<float>(test.inputs[1].data[k * columns + j]);
      }
      result[i * columns + j] = sum * static_cast<float>(test.inputs[2].data[j]) + static_cast<float>(test.inputs[3].data[j]);
    }
  }
  return result;
}

constexpr std::string_view kScaled =
    "graph(i0: f32[8,4000], p0: param f32[4000,96], p1: param f32[96], p2: param f32[96]) {"
    " v0 = MatMul(i0, p0); v1 = Mul(v0, p1); v2 = Add(v1, p2); return v2 }";

TEST(FreivaldsCheck, AcceptsAPlainKernelsRoundingThoughAllTermsHaveOneSign) {
  const Graph graph = graph_of(kScaled);
  std::vector<RealTensor> inputs = make_inputs(graph, {});
  for (RealTensor& input : inputs) {
    for (double& each : input.data) each = std::fabs(each) + 0.25;  // partial sums grow, as do their roundings
  }
  const Case test(kScaled, inputs);
  const auto result = sequential(test, 8, 4000, 96);
  const Verification found = test.judge({test.right.type, {result.begin(), result.end()}});
  EXPECT_TRUE(found.passed) << found.detail;
}

// One column outweighs all others: the roundings of a row are then those of one element, and nothing averages them out.
TEST(FreivaldsCheck, AcceptsAKernelWhoseColumnsDifferInMagnitude) {
  const Graph graph = graph_of(kScaled);
  for (const std::size_t large : {0U, 50U, 95U}) {
    std::vector<RealTensor> inputs = make_inputs(graph, {});
    inputs[2].data[large] = 1e6;
    const Case test(kScaled, inputs);
    const auto result = sequential(test, 8, 4000, 96);
    const Verification found = test.judge({test.right.type, {result.begin(), result.end()}});
    EXPECT_TRUE(found.passed) << found.detail;
  }
}

TEST(FreivaldsCheck, JudgesEveryFloatingTypeByItsOwnRounding) {
  for (const std::string type : {"f64", "f32", "f16", "bf16"}) {
    const std::string head = "graph(i0: " + type + "[30,500], p0: param " + type + "[500,40], p1: param " + type + "[40]) {";
    const Case test(head + " v0 = MatMul(i0, p0); v1 = Add(v0, p1); return v1 }");
    RealTensor kernel = test.right;
    // A kernel of this type: off by the roundings of a sum, alternately.
    const double unit = type == "f64" ? 0x1p-53 : 0x1p-24;
    for (std::size_t i = 0; i < kernel.data.size(); ++i) kernel.data[i] *= 1 + (i % 2 == 0 ? 4 : -4) * unit;
    round_to_dtype(kernel);
    const Verification found = test.judge(kernel);
    EXPECT_TRUE(found.passed) << type << ": " << found.detail;
    EXPECT_FALSE(test.with(333, test.right.data[333] + 8).passed) << type;
  }
}

TEST(FreivaldsCheck, DoesNotApplyWhereSumsOfOutputsSayNothingOfTheProducts) {
  const std::string head =
      "graph(i0: f32[30,50], p0: param f32[50,40], i1: f32[30,40], p1: param f32[40]) { v0 = MatMul(i0, p0); v1 = Add(v0, p1); ";
  for (const std::string tail : {
           "v2 = Relu(v1); return v2 }",
           "v2 = Gelu(v1); return v2 }",
           "v2 = Clip(v1, min=0.0); return v2 }",
           "v2 = Softmax(v1); return v2 }",
           "v2 = Mul(v1, v1); return v2 }",
           "v2 = Add(v1, v1); return v2 }",
           "v2 = Mul(v1, i1); return v2 }",                // one scale per element
           "v2 = Div(p1, v1); return v2 }",                // divides by the product
           "v2 = Exp(i1); v3 = Add(v1, v2); return v3 }",  // an operand with rounding errors of its own
           "v2 = Transpose(v1, perm=[1,0]); return v2 }",
           "v2 = Cast(v1, to=\"f16\"); return v2 }",
           "return v0, v1 }",
       }) {
    const Graph graph = graph_of(head + tail);
    EXPECT_FALSE(FreivaldsCheck::applies(graph)) << tail;
    EXPECT_FALSE(FreivaldsCheck::create(graph, make_inputs(graph, {}), kRounds, 1)) << tail;
  }
  EXPECT_FALSE(FreivaldsCheck::applies(graph_of("graph(i0: f32[4]) { v0 = Neg(i0); return v0 }")));
  EXPECT_FALSE(FreivaldsCheck::applies(graph_of("graph(i0: f32[4,4]) { v0 = Softmax(i0); v1 = MatMul(v0, i0); return v1 }")));
  EXPECT_FALSE(FreivaldsCheck::applies(
      graph_of("graph(i0: f32[4,4], i1: f32[2,4,4]) { v0 = MatMul(i0, i0); v1 = Add(v0, i1); return v1 }")));
}

TEST(FreivaldsCheck, AResultOfAnotherSizeFails) {
  const Case test(kAffine[0]);
  RealTensor shorter = test.right;
  shorter.data.pop_back();
  EXPECT_FALSE(test.judge(shorter).passed);
}

}  // namespace
}  // namespace fuselab
