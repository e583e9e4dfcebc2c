// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/ops/infer.h"
#include "tests/unit/graph/infer_testing.h"

namespace fuselab {
namespace {

using ::testing::HasSubstr;

TEST(BroadcastShapes, FollowsNumpy) {
  EXPECT_EQ(broadcast_shapes({2, 3}, {3}).value(), (Shape{2, 3}));
  EXPECT_EQ(broadcast_shapes({2, 1}, {1, 3}).value(), (Shape{2, 3}));
  EXPECT_EQ(broadcast_shapes({}, {4}).value(), (Shape{4}));
  EXPECT_EQ(broadcast_shapes({0}, {1}).value(), (Shape{0}));
  EXPECT_FALSE(broadcast_shapes({2}, {3}).ok());
  EXPECT_FALSE(broadcast_shapes({0}, {2}).ok());
}

TEST(BroadcastShapes, LetsSymbolsPassButNotMix) {
  const Dim batch = Dim::symbol("batch");
  EXPECT_EQ(broadcast_shapes({batch, 1}, {8}).value(), (Shape{batch, 8}));
  EXPECT_EQ(broadcast_shapes({1}, {batch}).value(), (Shape{batch}));
  const auto mixed = broadcast_shapes({batch}, {Dim::symbol("seq")});
  ASSERT_FALSE(mixed.ok());
  EXPECT_THAT(mixed.error().message, HasSubstr("[batch] and [seq] do not broadcast: batch against seq"));
  EXPECT_FALSE(broadcast_shapes({batch}, {8}).ok());
}

TEST(InferElementWise, UnaryOperatorsKeepTheirType) {
  for (const char* call : {"Identity(x)",
                           "Neg(x)",
                           "Exp(x)",
                           "Sqrt(x)",
                           "Erf(x)",
                           "Tanh(x)",
                           "Sigmoid(x)",
                           "Relu(x)",
                           "LeakyRelu(x)",
                           "Gelu(x, approximate=\"tanh\")",
                           "Swish(x)",
                           "Sin(x)",
                           "Acosh(x)",
                           "Round(x)",
                           "Sign(x)",
                           "Shrink(x, bias=0.5)",
                           "ThresholdedRelu(x)",
                           "Clip(x, min=0.0, max=6.0)",
                           "Abs(x)",
                           "Log(x)",
                           "Reciprocal(x)"}) {
    EXPECT_EQ(inferred("x: f16[batch,8]", call), "f16[batch,8]") << call;
  }
}

TEST(InferElementWise, TranscendentalsNeedFloatingPoint) {
  EXPECT_THAT(inferred("x: i32[4]", "Exp(x)"), HasSubstr("Exp: needs a floating-point type, got i32"));
  EXPECT_EQ(inferred("x: i32[4]", "Neg(x)"), "i32[4]");
  EXPECT_THAT(inferred("x: bool[4]", "Neg(x)"), HasSubstr("needs numbers, got bool"));
  EXPECT_THAT(inferred("x: f32[4]", "Gelu(x, approximate=\"cubic\")"), HasSubstr("must be \"none\" or \"tanh\""));
}

TEST(InferElementWise, BitsAreThoseOfWholeNumbers) {
  EXPECT_EQ(inferred("a: u8[2,1], b: u8[3]", "BitwiseAnd(a, b)"), "u8[2,3]");
  EXPECT_THAT(inferred("a: f32[2], b: f32[2]", "BitwiseAnd(a, b)"), HasSubstr("needs whole numbers, got f32"));
  EXPECT_THAT(inferred("a: bool[2], b: bool[2]", "BitwiseAnd(a, b)"), HasSubstr("needs numbers, got bool"));
  EXPECT_THAT(inferred("a: i32[2], b: i64[2]", "BitwiseAnd(a, b)"), HasSubstr("operands must have one element type"));
}

TEST(InferElementWise, ModOfRealsIsTheOneOfC) {
  EXPECT_EQ(inferred("a: i32[2,1], b: i32[3]", "Mod(a, b)"), "i32[2,3]");
  EXPECT_EQ(inferred("a: f32[2,1], b: f32[3]", "Mod(a, b, fmod=1)"), "f32[2,3]");
  EXPECT_THAT(inferred("a: f32[2,1], b: f32[3]", "Mod(a, b)"), HasSubstr("of reals needs fmod=1"));
}

TEST(InferElementWise, QuestionsAboutRealsGiveBool) {
  EXPECT_EQ(inferred("x: f16[2,3]", "IsNaN(x)"), "bool[2,3]");
  EXPECT_EQ(inferred("x: f32[2,3]", "IsInf(x, detect_positive=0)"), "bool[2,3]");
  EXPECT_THAT(inferred("x: i32[4]", "IsNaN(x)"), HasSubstr("needs a floating-point type, got i32"));
}

TEST(InferElementWise, CastChangesTheTypeOnly) {
  EXPECT_EQ(inferred("x: f32[n,4]", "Cast(x, to=\"bf16\")"), "bf16[n,4]");
  EXPECT_EQ(inferred("x: f32[4]", "Cast(x, to=10)"), "f16[4]");
  EXPECT_THAT(inferred("x: f32[4]", "Cast(x, to=\"float\")"), HasSubstr("'to' names no element type"));
}

TEST(InferElementWise, BinaryOperatorsBroadcast) {
  for (const char* op : {"Add", "Sub", "Mul", "Div", "Pow", "Min", "Max"}) {
    EXPECT_EQ(inferred("a: f32[batch,1,8], b: f32[4,8]", std::string(op) + "(a, b)"), "f32[batch,4,8]") << op;
  }
  EXPECT_EQ(inferred("a: f32[2,1], b: f32[3], c: f32[4,1,1]", "Max(a, b, c)"), "f32[4,2,3]");
}

TEST(InferElementWise, ComparisonsGiveBool) {
  for (const char* op : {"Equal", "Less", "Greater", "LessOrEqual", "GreaterOrEqual"}) {
    EXPECT_EQ(inferred("a: f32[batch,1,8], b: f32[4,8]", std::string(op) + "(a, b)"), "bool[batch,4,8]") << op;
    EXPECT_EQ(inferred("a: i64[3], b: i64[]", std::string(op) + "(a, b)"), "bool[3]") << op;
    EXPECT_THAT(inferred("a: f32[3], b: f64[3]", std::string(op) + "(a, b)"), HasSubstr("must have one element type")) << op;
  }
  EXPECT_EQ(inferred("a: bool[3], b: bool[3]", "Equal(a, b)"), "bool[3]");
  EXPECT_THAT(inferred("a: bool[3], b: bool[3]", "Less(a, b)"), HasSubstr("needs numbers, got bool"));
}

TEST(InferElementWise, LogicIsForBool) {
  for (const char* op : {"And", "Or", "Xor"}) {
    EXPECT_EQ(inferred("a: bool[2,1], b: bool[3]", std::string(op) + "(a, b)"), "bool[2,3]") << op;
    EXPECT_THAT(inferred("a: bool[2], b: f32[2]", std::string(op) + "(a, b)"), HasSubstr("needs bool, got f32")) << op;
  }
  EXPECT_EQ(inferred("a: bool[2,1]", "Not(a)"), "bool[2,1]");
  EXPECT_THAT(inferred("a: u8[2]", "Not(a)"), HasSubstr("needs bool, got u8"));
}

TEST(InferElementWise, ErrorsNameTheOperatorAndBothShapes) {
  EXPECT_THAT(inferred("a: f32[2,3], b: f32[4]", "Add(a, b)"),
              HasSubstr("Add: shapes [2,3] and [4] do not broadcast: 3 against 4 (inputs f32[2,3], f32[4])"));
  EXPECT_THAT(inferred("a: f32[2], b: f16[2]", "Mul(a, b)"), HasSubstr("operand 1 is f16, not f32"));
  EXPECT_THAT(inferred("a: f32[2]", "Add(a)"), HasSubstr("Add: takes 2 inputs, got 1"));
  EXPECT_THAT(inferred("a: f32[2]", "Where(a, a, a)"), HasSubstr("the condition must be bool"));
}

TEST(InferElementWise, PowLetsTheExponentDiffer) {
  EXPECT_EQ(inferred("a: f32[2,3], e: i64[]", "Pow(a, e)"), "f32[2,3]");
}

TEST(InferElementWise, WhereTakesTheChoicesType) {
  EXPECT_EQ(inferred("c: bool[seq,seq], a: f32[batch,1,seq], b: f32[]", "Where(c, a, b)"), "f32[batch,seq,seq]");
  EXPECT_THAT(inferred("c: bool[2], a: f32[2], b: f16[2]", "Where(c, a, b)"), HasSubstr("one element type"));
}

TEST(InferElementWise, ConstantsAreScalars) {
  EXPECT_EQ(inferred("", "Constant(value=0.5)"), "f32[]");
  EXPECT_EQ(inferred("", "Constant(dtype=\"i64\", value=3)"), "i64[]");
  EXPECT_EQ(inferred("", "Constant(value=-inf)"), "f32[]");
  EXPECT_THAT(inferred("", "Constant(dtype=\"i64\", value=0.5)"), HasSubstr("needs an integer value"));
  EXPECT_THAT(inferred("", "Constant(dtype=\"real\", value=0.5)"), HasSubstr("unknown dtype 'real'"));
  EXPECT_THAT(inferred("", "Constant(value=\"x\")"), HasSubstr("'value' must be a number"));
}

}  // namespace
}  // namespace fuselab
