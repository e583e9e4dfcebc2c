// SPDX-License-Identifier: Apache-2.0
// What quantisation has got beside bytes and one scale: blocks, four bits, floats of eight bits, and types of its own to divide in.
#include <limits>

#include "tests/unit/import/evaluated.h"
#include "tests/unit/import/type_codes.h"

namespace fuselab {
namespace {

using testing::barrier_of;
using testing::error_of;
using testing::evaluated;
using testing::expect_close;
using testing::has;
using testing::imported;
using testing::ModelMaker;
using testing::operators_of;
using testing::output_type;

using namespace testing::code;

struct Operand {
  std::vector<std::string> shape;
  int code = kF32;
};

// Without a type the zero point is left out.
ModelMaker made(const std::string& op, const Operand& x, const Operand& scale, const Operand& zero = {{}, 0}) {
  ModelMaker maker(23);
  maker.input("x", x.shape, x.code).input("scale", scale.shape, scale.code);
  std::vector<std::string> inputs{"x", "scale"};
  if (zero.code != 0) {
    maker.input("zero", zero.shape, zero.code);
    inputs.emplace_back("zero");
  }
  return maker.node(op, inputs, {"y"});
}

TEST(QuantizeByBlocks, EqualOnesAreAnAxisOfTheirOwnAndMoveNothing) {
  const Operand x{{"2", "4"}}, scale{{"2", "2"}}, zero{{"2", "2"}, kU8};
  auto maker = made("QuantizeLinear", x, scale, zero).with("axis", 1).with("block_size", 2).output("y");
  expect_close(evaluated(maker, {{1, 2, 30, 40, 5, 6, 7, 8}, {1, 10, 5, 0.5}, {0, 1, 2, 3}}), {1, 2, 4, 5, 3, 3, 17, 19});
  EXPECT_EQ(operators_of(imported(maker).graph), "Reshape Unsqueeze Div Round Cast Unsqueeze Add Clip Cast Reshape");
  auto back = made("DequantizeLinear", {{"4", "2"}, kI8}, {{"2", "2"}}).with("axis", 0).with("block_size", 2).output("y");
  expect_close(evaluated(back, {{1, 2, 3, 4, 5, 6, 7, 8}, {1, 10, 2, 0.5}}), {1, 20, 3, 40, 10, 3, 14, 4});
}

TEST(QuantizeByBlocks, TheLastOneMayBeShorter) {
  const Operand x{{"5"}}, scale{{"2"}};
  auto maker = made("QuantizeLinear", x, scale).with("axis", 0).with("block_size", 3).with("output_dtype", kI16).output("y");
  expect_close(evaluated(maker, {{2, 4, -6, 8, 10}, {2, 4}}), {1, 2, -3, 2, 2});
  auto back = made("DequantizeLinear", {{"2", "3"}, kI8}, {{"2", "2"}}, {{"2", "2"}, kI8}).with("axis", -1).with("block_size", 2);
  expect_close(evaluated(back.output("y"), {{1, 2, 3, 4, 5, 6}, {1, 2, 3, 4}, {1, 0, 0, 6}}), {0, 1, 6, 12, 15, 0});
}

TEST(QuantizeByBlocks, OneMayReachBeyondItsAxis) {
  auto maker = made("DequantizeLinear", {{"2", "3"}, kI8}, {{"2", "1"}}).with("axis", 1).with("block_size", std::int64_t{1} << 62);
  expect_close(evaluated(maker.output("y"), {{1, 2, 3, 4, 5, 6}, {2, 3}}), {2, 4, 6, 12, 15, 18});
}

TEST(QuantizeByBlocks, RefusesWhatDoesNotFit) {
  const auto of = [](const std::vector<std::string>& scale, std::int64_t axis, std::int64_t size) {
    return made("DequantizeLinear", {{"2", "5"}, kI8}, {scale}).with("axis", axis).with("block_size", size).output("y");
  };
  EXPECT_TRUE(has(error_of(of({"2", "2"}, 1, 2)), "has scales or zero points f32[2,2] where blocks of 2 along axis 1 need [2,3]"));
  EXPECT_TRUE(has(error_of(of({"2"}, 0, 1)), "where blocks of 1 along axis 0 need [2,5]"));
  EXPECT_TRUE(has(error_of(of({"2", "2"}, 1, -3)), "has blocks of -3 elements"));
  EXPECT_TRUE(has(error_of(of({"2", "2"}, 2, 3)), "axis 2 is outside rank 2"));
  EXPECT_TRUE(has(error_of(of({"2", "5"}, 1, 0)), "has scales or zero points f32[2,5] and no block_size"));
  auto beside = made("DequantizeLinear", {{}, kI8}, {{}}, {{"3"}, kI8}).output("y");
  EXPECT_TRUE(has(error_of(beside), "axis 1 is outside rank 0"));
}

TEST(QuantizeByBlocks, IsABarrierWhereItsAxisIsOpen) {
  auto maker = made("DequantizeLinear", {{"2", "n"}, kI8}, {{"2", "2"}}).with("axis", 1).with("block_size", 3).output("y");
  EXPECT_EQ(barrier_of(maker), "the extent of its blocked axis, 'n', is open");
  auto other = made("DequantizeLinear", {{"n", "4"}, kI8}, {{"n", "2"}}).with("axis", 1).with("block_size", 2).output("y");
  EXPECT_EQ(output_type(imported(other).graph), "f32[n,4]");
}

TEST(QuantizeToFourBits, StaysWithinThemAndComesBack) {
  auto maker = made("QuantizeLinear", {{"4"}}, {{}}, {{}, kI4}).output("y");
  expect_close(evaluated(maker, {{-30, 30, 5, -3}, {2}, {1}}), {-8, 7, 3, -1});
  EXPECT_EQ(output_type(imported(maker).graph), "i4[4]");
  auto back = made("DequantizeLinear", {{"3"}, kU4}, {{}}, {{}, kU4}).output("y");
  expect_close(evaluated(back, {{0, 15, 7}, {0.5}, {8}}), {-4, 3.5, -0.5});
}

// A weight of two numbers a byte, as files have it.
TEST(QuantizeToFourBits, SmallWeightsAreReadFromTheirHalfBytes) {
  const auto with_zero = [](bool raw) {
    ModelMaker maker = made("DequantizeLinear", {{"3"}, kI4}, {{}});
    auto& zero = *maker.graph().add_initializer();
    zero.set_name("zero");
    zero.set_data_type(kI4);
    if (raw) zero.set_raw_data(std::string(1, '\x0e'));
    if (!raw) zero.add_int32_data(0xe);
    maker.graph().mutable_node(0)->add_input("zero");
    return maker.output("y");
  };
  for (const bool raw : {true, false}) {
    expect_close(evaluated(with_zero(raw), {{-8, 0, 7}, {2}}), {-12, 4, 18});
    EXPECT_EQ(operators_of(imported(with_zero(raw)).graph), "Cast Sub Mul");
  }
}

TEST(QuantizeToEightBitFloats, SaturatesUnlessItSaysOtherwise) {
  const auto to = [](int code) { return made("QuantizeLinear", {{"3"}}, {{}}).with("output_dtype", code); };
  const std::vector<std::vector<double>> numbers{{4e6, -3, 1e6}, {2}};
  expect_close(evaluated(to(kF8E4M3).output("y"), numbers), {448, -1.5, 448});
  expect_close(evaluated(to(kF8E5M2).output("y"), numbers), {57344, -1.5, 57344});
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  expect_close(evaluated(to(kF8E5M2).with("saturate", 0).output("y"), numbers), {kInfinity, -1.5, kInfinity});
  EXPECT_EQ(barrier_of(to(kF8E4M3).with("saturate", 0).output("y")), "it quantises without saturation");
  auto back = made("DequantizeLinear", {{"2"}, kF8E4M3}, {{}}, {{}, kF8E4M3}).output("y");
  expect_close(evaluated(back, {{448, -1.5}, {2}, {0}}), {896, -3});
}

// By the type of the scale, unless the file names another.
TEST(QuantizeTypes, DivideInTheScalesOrTheNamedOne) {
  auto maker = made("QuantizeLinear", {{"2"}, kI32}, {{}}).output("y");
  expect_close(evaluated(maker, {{100, 7}, {2}}), {50, 4});
  auto half = made("QuantizeLinear", {{"1"}}, {{}, kF16}, {{}, kU16}).output("y");
  expect_close(evaluated(half, {{60000}, {2}, {32768}}), {62768});
  EXPECT_EQ(operators_of(imported(half).graph), "Cast Div Cast Round Cast Add Clip Cast");
  auto named = made("QuantizeLinear", {{"1"}, kF16}, {{}, kF16}).with("precision", kF32).output("y");
  expect_close(evaluated(named, {{9}, {3}}), {3});
  EXPECT_EQ(barrier_of(made("QuantizeLinear", {{"1"}, kI32}, {{}, kI32}).output("y")), "it divides in i32");
  EXPECT_EQ(barrier_of(made("QuantizeLinear", {{"1"}}, {{}}).with("precision", kI8).output("y")), "it divides in i8");
  EXPECT_EQ(barrier_of(made("QuantizeLinear", {{"1"}}, {{}}).with("precision", 99).output("y")),
            "it divides in a type that is not known");
}

TEST(QuantizeTypes, ComeBackAsTheFileSays) {
  auto maker = made("DequantizeLinear", {{"2"}, kI8}, {{}}).with("output_dtype", kF16).output("y");
  expect_close(evaluated(maker, {{1, -3}, {0.5}}), {0.5, -1.5});
  EXPECT_EQ(output_type(imported(maker).graph), "f16[2]");
  // Of 16 bits f16 holds few exactly, and the largest not at all.
  auto wide = made("DequantizeLinear", {{"1"}, kU16}, {{}, kF16}, {{}, kU16}).output("y");
  expect_close(evaluated(wide, {{65535}, {0.25}, {65533}}), {0.5});
  EXPECT_EQ(output_type(imported(wide).graph), "f16[1]");
  EXPECT_EQ(operators_of(imported(made("DequantizeLinear", {{"1"}, kI8}, {{}, kBF16}).output("y")).graph), "Cast Mul");
  EXPECT_EQ(barrier_of(made("DequantizeLinear", {{"1"}, kI8}, {{}}).with("output_dtype", kI32).output("y")), "its result is i32");
  EXPECT_EQ(barrier_of(made("DequantizeLinear", {{"1"}, kI8}, {{}, kI32}).output("y")), "its scale is i32");
}

// Symmetric quantisation is written with a zero point that is zero: nothing is added.
TEST(QuantizeTypes, AKnownZeroIsNotAdded) {
  ModelMaker maker = made("QuantizeLinear", {{"2"}}, {{}}).integers("zero", {0});
  maker.graph().mutable_initializer(0)->set_data_type(kI8);
  maker.graph().mutable_initializer(0)->clear_int64_data();
  maker.graph().mutable_initializer(0)->clear_dims();
  maker.graph().mutable_initializer(0)->add_int32_data(0);
  maker.graph().mutable_node(0)->add_input("zero");
  EXPECT_EQ(operators_of(imported(maker.output("y")).graph), "Div Round Clip Cast");
  EXPECT_EQ(output_type(imported(maker).graph), "i8[2]");
}

}  // namespace
}  // namespace fuselab
