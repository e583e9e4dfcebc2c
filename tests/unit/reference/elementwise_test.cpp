// SPDX-License-Identifier: Apache-2.0
#include <cmath>

#include "tests/unit/reference/reference_support.h"

namespace fuselab {
namespace {

using test::evaluate;
using test::near;
using testing::ElementsAre;

const std::vector<std::vector<double>> kX = {{-2, -0.5, 0, 1}};

std::vector<double> unary(const std::string& call) {
  return evaluate("graph(i0: f32[4]) { v0 = " + call + "; return v0 }", kX);
}

TEST(ReferenceElementwise, ExactOperators) {
  EXPECT_THAT(unary("Identity(i0)"), ElementsAre(-2, -0.5, 0, 1));
  EXPECT_THAT(unary("Neg(i0)"), ElementsAre(2, 0.5, 0, -1));
  EXPECT_THAT(unary("Abs(i0)"), ElementsAre(2, 0.5, 0, 1));
  EXPECT_THAT(unary("Relu(i0)"), ElementsAre(0, 0, 0, 1));
  EXPECT_THAT(unary("LeakyRelu(i0, alpha=0.5)"), ElementsAre(-1, -0.25, 0, 1));
  EXPECT_THAT(unary("LeakyRelu(i0)"), near({-0.02, -0.005, 0, 1}));
  EXPECT_THAT(unary("Clip(i0, min=-1.0, max=0.5)"), ElementsAre(-1, -0.5, 0, 0.5));
  EXPECT_THAT(unary("Cast(i0, to=\"i32\")"), ElementsAre(-2, 0, 0, 1));
  EXPECT_THAT(unary("Cast(i0, to=\"bool\")"), ElementsAre(1, 1, 0, 1));
}

// The example of ONNX' Cast is the first: 200 as i16 is -56 as i8.
TEST(ReferenceElementwise, ANarrowerIntegerLosesItsHigherBits) {
  const auto cast = [](const std::string& from, const std::string& to, const std::vector<double>& x) {
    const std::string shape = "[" + std::to_string(x.size()) + "]";
    return evaluate("graph(i0: " + from + shape + ") { v0 = Cast(i0, to=\"" + to + "\"); return v0 }", {x});
  };
  EXPECT_THAT(cast("i16", "i8", {200, -129, 5}), ElementsAre(-56, 127, 5));
  EXPECT_THAT(cast("i32", "u8", {300, -1, 255}), ElementsAre(44, 255, 255));
  EXPECT_THAT(cast("u8", "i8", {200, 127}), ElementsAre(-56, 127));
  EXPECT_THAT(cast("i64", "i32", {0x1p33 + 5, -0x1p31}), ElementsAre(5, -0x1p31));
}

// As kernels do: the reference's doubles have room for more than the type.
TEST(ReferenceElementwise, WholeNumbersWrapInTheirType) {
  const auto of = [](const std::string& type, const std::string& call, double a, double b) {
    return evaluate("graph(i0: " + type + "[1], i1: " + type + "[1]) { v0 = " + call + "; return v0 }", {{a}, {b}}).front();
  };
  EXPECT_EQ(of("i32", "Add(i0, i1)", 0x1p31 - 1, 1), -0x1p31);
  EXPECT_EQ(of("i32", "Sub(i0, i1)", -0x1p31, 1), 0x1p31 - 1);
  EXPECT_EQ(of("i32", "Mul(i0, i1)", 0x1p31 - 1, 2), -2);
  EXPECT_EQ(of("u8", "Sub(i0, i1)", 3, 5), 254);
  EXPECT_EQ(of("i8", "Abs(i0)", -128, 0), -128);
  EXPECT_EQ(of("i32", "Neg(i0)", -0x1p31, 0), -0x1p31);
  EXPECT_EQ(of("i64", "Div(i0, i1)", -0x1p63, -1), -0x1p63);
  EXPECT_EQ(of("i64", "Div(i0, i1)", -7, 2), -3);
  EXPECT_EQ(of("f32", "Add(i0, i1)", 0x1p40, 0x1p40), 0x1p41);
}

TEST(ReferenceElementwise, Transcendentals) {
  EXPECT_THAT(unary("Exp(i0)"), near({0.1353352832366127, 0.6065306597126334, 1, 2.718281828459045}));
  EXPECT_THAT(unary("Erf(i0)"), near({-0.9953222650189527, -0.5204998778130465, 0, 0.8427007929497149}));
  EXPECT_THAT(unary("Tanh(i0)"), near({-0.9640275800758169, -0.46211715726000973, 0, 0.7615941559557649}));
  EXPECT_THAT(unary("Sigmoid(i0)"), near({0.11920292202211755, 0.3775406687981454, 0.5, 0.7310585786300049}));
  EXPECT_THAT(unary("Swish(i0)"), near({-0.2384058440442351, -0.1887703343990727, 0, 0.7310585786300049}));
  EXPECT_THAT(unary("Swish(i0, alpha=2.0)"),
              near({-2 / (1 + std::exp(4.0)), -0.5 / (1 + std::exp(1.0)), 0, 1 / (1 + std::exp(-2.0))}));
}

// x·Φ(x) from tables of the normal distribution: Φ(1) = 0.841344746068543, Φ(-2) = 0.022750131948179.
TEST(ReferenceElementwise, GeluInBothForms) {
  EXPECT_THAT(unary("Gelu(i0)"), near({-0.045500263896358, -0.154268769362993, 0, 0.841344746068543}, 1e-12));
  EXPECT_THAT(unary("Gelu(i0, approximate=\"tanh\")"), near({-0.045402305912, -0.154285990175, 0, 0.841191990608}, 1e-9));
}

TEST(ReferenceElementwise, RootsAndReciprocals) {
  const auto of = [](const std::string& call) {
    return evaluate("graph(i0: f32[3]) { v0 = " + call + "; return v0 }", {{1, 4, 0.25}});
  };
  EXPECT_THAT(of("Sqrt(i0)"), ElementsAre(1, 2, 0.5));
  EXPECT_THAT(of("Reciprocal(i0)"), ElementsAre(1, 0.25, 4));
  EXPECT_THAT(of("Log(i0)"), near({0, std::log(4.0), -std::log(4.0)}));
}

TEST(ReferenceElementwise, BitsOfWholeNumbers) {
  const std::string both = "v0 = BitwiseAnd(i0, i1); return v0 }";
  EXPECT_THAT(evaluate("graph(i0: i64[4], i1: i64[1]) { " + both, {{12, 10, -1, -8}, {10}}), ElementsAre(8, 10, 10, 8));
  EXPECT_THAT(evaluate("graph(i0: u8[2], i1: u8[2]) { " + both, {{255, 129}, {15, 128}}), ElementsAre(15, 128));
  EXPECT_THAT(evaluate("graph(i0: u64[1], i1: u64[1]) { " + both, {{0x1p63}, {0x1p63}}), ElementsAre(0x1p63));
}

TEST(ReferenceElementwise, BinaryOperatorsBroadcast) {
  const auto of = [](const std::string& op) {
    return evaluate("graph(i0: f32[2,3], i1: f32[3]) { v0 = " + op + "(i0, i1); return v0 }", {{1, 2, 3, 4, 5, 6}, {1, 2, 4}});
  };
  EXPECT_THAT(of("Add"), ElementsAre(2, 4, 7, 5, 7, 10));
  EXPECT_THAT(of("Sub"), ElementsAre(0, 0, -1, 3, 3, 2));
  EXPECT_THAT(of("Mul"), ElementsAre(1, 4, 12, 4, 10, 24));
  EXPECT_THAT(of("Div"), ElementsAre(1, 1, 0.75, 4, 2.5, 1.5));
  EXPECT_THAT(of("Pow"), ElementsAre(1, 4, 81, 4, 25, 1296));
  EXPECT_THAT(of("Min"), ElementsAre(1, 2, 3, 1, 2, 4));
  EXPECT_THAT(of("Max"), ElementsAre(1, 2, 4, 4, 5, 6));
}

TEST(ReferenceElementwise, BroadcastsInTheMiddleAndBothWays) {
  EXPECT_THAT(evaluate("graph(i0: f32[2,1,2], i1: f32[3,1]) { v0 = Add(i0, i1); return v0 }", {{1, 2, 3, 4}, {10, 20, 30}}),
              ElementsAre(11, 12, 21, 22, 31, 32, 13, 14, 23, 24, 33, 34));
}

TEST(ReferenceElementwise, WhereChoosesByElement) {
  EXPECT_THAT(
      evaluate("graph(i0: bool[3], i1: f32[3], i2: f32[1]) { v0 = Where(i0, i1, i2); return v0 }", {{1, 0, 1}, {1, 2, 3}, {9}}),
      ElementsAre(1, 9, 3));
}

TEST(ReferenceElementwise, IntegersDivideTowardsZero) {
  EXPECT_THAT(evaluate("graph(i0: i32[3], i1: i32[3]) { v0 = Div(i0, i1); return v0 }", {{7, -7, 6}, {2, 2, 3}}),
              ElementsAre(3, -3, 2));
}

TEST(ReferenceElementwise, NotANumberIsNeverLost) {
  const double nan = std::nan("");
  for (const char* op : {"Max", "Min"}) {
    const auto values =
        evaluate("graph(i0: f32[2], i1: f32[2]) { v0 = " + std::string(op) + "(i0, i1); return v0 }", {{nan, 1}, {1, nan}});
    EXPECT_TRUE(std::isnan(values[0]) && std::isnan(values[1])) << op;
  }
  EXPECT_TRUE(std::isnan(evaluate("graph(i0: f32[1]) { v0 = Relu(i0); return v0 }", {{nan}})[0]));
  EXPECT_TRUE(std::isnan(evaluate("graph(i0: f32[1]) { v0 = Clip(i0, min=0.0); return v0 }", {{nan}})[0]));
}

TEST(ReferenceElementwise, AdamStepByHand) {
  const auto step = evaluate(
      "graph(i0: f32[1], i1: f32[1], i2: f32[1], i3: f32[1]) {"
      " b1 = Constant(value=0.9); c1 = Constant(value=0.1); b2 = Constant(value=0.99); c2 = Constant(value=0.01);"
      " eps = Constant(value=0.001); rate = Constant(value=0.1);"
      " m0 = Mul(i2, b1); m1 = Mul(i1, c1); m = Add(m0, m1); g2 = Mul(i1, i1); v0 = Mul(i3, b2); v1 = Mul(g2, c2); v = Add(v0, v1);"
      " r = Sqrt(v); d = Add(r, eps); u = Div(m, d); s = Mul(u, rate); p = Sub(i0, s); return p, m, v }",
      {{1}, {2}, {0.5}, {4}});
  EXPECT_THAT(step, near({1 - 0.1 * 0.65 / (2 + 0.001)}));
}

}  // namespace
}  // namespace fuselab
