// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/ops/recurrence.h"
#include "tests/unit/graph/infer_testing.h"

namespace fuselab {
namespace {

using ::testing::HasSubstr;

constexpr const char* kLstm = "x: f32[t,b,3], w: f32[1,8,3], r: f32[1,8,2]";
constexpr const char* kTwoWays = "x: f32[t,b,3], w: f32[2,6,3], r: f32[2,6,2], h: f32[2,b,2], l: i32[b], p: f32[2,12]";

TEST(InferRecurrence, ResultsAreAllStepsAndTheLastStates) {
  EXPECT_EQ(inferred(kLstm, "LSTM(x, w, r)", 3), "f32[t,1,b,2] f32[1,b,2] f32[1,b,2]");
  EXPECT_EQ(inferred(kTwoWays, "GRU(x, w, r, p, l, h, direction=\"bidirectional\", operands=\"B sequence_lens initial_h\")", 2),
            "f32[t,2,b,2] f32[2,b,2]");
  EXPECT_EQ(inferred("x: f16[5,1,3], w: f16[1,7,3], r: f16[1,7,7]", "RNN(x, w, r, direction=\"reverse\")", 2),
            "f16[5,1,1,7] f16[1,1,7]");
}

TEST(InferRecurrence, OperandsMustFitEachOther) {
  EXPECT_THAT(inferred("x: f32[t,b,3], w: f32[1,8,4], r: f32[1,8,2]", "LSTM(x, w, r)", 3),
              HasSubstr("W must be [1,8,3], got [1,8,4]"));
  EXPECT_THAT(inferred("x: f32[t,b,3], w: f32[1,6,3], r: f32[1,8,2]", "LSTM(x, w, r)", 3), HasSubstr("W must be [1,8,3]"));
  EXPECT_THAT(inferred("x: f32[t,b,3], w: f32[1,8,3], r: f32[1,6,2]", "LSTM(x, w, r)", 3), HasSubstr("R must be [1,8,2]"));
  EXPECT_THAT(inferred("x: f32[b,3], w: f32[1,8,3], r: f32[1,8,2]", "LSTM(x, w, r)", 3), HasSubstr("must have rank 3"));
  EXPECT_THAT(inferred("x: f32[t,b,3], w: f16[1,8,3], r: f32[1,8,2]", "LSTM(x, w, r)", 3), HasSubstr("one element type"));
  EXPECT_THAT(inferred("x: i32[t,b,3], w: i32[1,8,3], r: i32[1,8,2]", "LSTM(x, w, r)", 3),
              HasSubstr("needs a floating-point type"));
  EXPECT_THAT(inferred("x: f32[t,b,3], w: f32[1,8,3], r: f32[1,8,h]", "LSTM(x, w, r)", 3), HasSubstr("must be a number"));
  EXPECT_THAT(inferred(kTwoWays, "GRU(x, w, r)", 2), HasSubstr("W must be [1,6,3], got [2,6,3]"));
  EXPECT_THAT(inferred(kTwoWays, "GRU(x, w, r, h, direction=\"bidirectional\", operands=\"B\")", 2), HasSubstr("B must be [2,12]"));
  EXPECT_THAT(inferred(kTwoWays, "GRU(x, w, r, h, direction=\"bidirectional\", operands=\"sequence_lens\")", 2),
              HasSubstr("sequence_lens must be i32"));
}

TEST(InferRecurrence, AttributesMustSayWhatThereIs) {
  EXPECT_THAT(inferred(kLstm, "LSTM(x, w, r, direction=\"both\")", 3), HasSubstr("direction must be"));
  EXPECT_THAT(inferred(kLstm, "LSTM(x, w, r, w)", 3), HasSubstr("operands names 0 beside X, W and R, and there are 1"));
  EXPECT_THAT(inferred(kLstm, "LSTM(x, w, r, w, r, operands=\"initial_h B\")", 3), HasSubstr("in this order, got \"initial_h B\""));
  EXPECT_THAT(inferred(kTwoWays, "GRU(x, w, r, h, operands=\"initial_c\")", 2), HasSubstr("some of \"B sequence_lens initial_h\""));
  EXPECT_THAT(inferred(kLstm, "LSTM(x, w, r, activations=\"Tanh\")", 3), HasSubstr("needs 3 activations, got 1"));
  EXPECT_THAT(inferred(kLstm, "LSTM(x, w, r, activations=\"Sigmoid Tanh Cosh\")", 3), HasSubstr("'Cosh' is not known"));
  EXPECT_THAT(inferred(kLstm, "LSTM(x, w, r, activations=\"Sigmoid:2 Tanh Tanh\")", 3), HasSubstr("more numbers than it takes"));
  EXPECT_THAT(inferred(kLstm, "LSTM(x, w, r, activations=\"Sigmoid Tanh Elu:x\")", 3), HasSubstr("other than finite numbers"));
  EXPECT_THAT(inferred(kLstm, "LSTM(x, w, r, clip=-1)", 3), HasSubstr("clip must be more than 0"));
}

TEST(InferRecurrence, ExtentsBeyondWhatIsCountedAreRefused) {
  EXPECT_THAT(inferred("x: f32[1,1,1], w: f32[1,8,1], r: f32[1,8,4611686018427387904]", "LSTM(x, w, r)", 3),
              HasSubstr("is no extent"));
  EXPECT_THAT(inferred("x: f32[4611686018427387904,1,3], w: f32[1,8,3], r: f32[1,8,2]", "LSTM(x, w, r)", 3), HasSubstr("LSTM"));
}

TEST(InferRecurrence, ActivationsHaveOnnxsNumbersWhereNoneAreWritten) {
  const auto read = recurrence_of(Op::kLSTM, {{"activations", std::string("HardSigmoid LeakyRelu:0.5 ScaledTanh:2:3")}}, 3);
  ASSERT_TRUE(read.ok()) << read.error().message;
  EXPECT_EQ(read.value().activation(0, 0).alpha, 0.2);
  EXPECT_EQ(read.value().activation(0, 0).beta, 0.5);
  EXPECT_EQ(read.value().activation(0, 1).alpha, 0.5);
  EXPECT_EQ(read.value().activation(0, 2).beta, 3);
  const auto usual = recurrence_of(Op::kGRU, {{"direction", std::string("bidirectional")}}, 3);
  ASSERT_TRUE(usual.ok());
  EXPECT_EQ(usual.value().activation(1, 0).kind, Activation::Kind::kSigmoid);
  EXPECT_EQ(usual.value().activation(1, 1).kind, Activation::Kind::kTanh);
}

}  // namespace
}  // namespace fuselab
