// SPDX-License-Identifier: Apache-2.0
// Products of quantised numbers: as the imported graph computes them, and as the file does when it is evaluated node by node.
#include "tests/unit/import/composed/both_ways.h"
#include "tests/unit/import/type_codes.h"

namespace fuselab {
namespace {

using testing::expect_both;
using testing::has;
using testing::imported;
using testing::ModelMaker;
using testing::output_type;

using namespace testing::code;

TEST(IntegerProducts, ConvIntegerPadsWithItsZeroPoint) {
  const std::vector<std::vector<double>> inputs = {{2, 3, 4, 5, 6, 7, 8, 9, 10}, {1, 1, 1, 1}, {1}};
  const auto made = [](std::int64_t pad) {
    ModelMaker maker(10);
    maker.input("x", {"1", "1", "3", "3"}, kU8).input("w", {"1", "1", "2", "2"}, kU8).input("xz", {}, kU8);
    maker.node("ConvInteger", {"x", "w", "xz"}, {"y"}).with_list("pads", {pad, pad, pad, pad});
    return maker.output("y", {"1", "1", std::to_string(2 + 2 * pad), std::to_string(2 + 2 * pad)}, kI32);
  };
  expect_both(made(0), inputs, {12, 16, 24, 28});
  expect_both(made(1), inputs, {1, 3, 5, 3, 5, 12, 16, 9, 11, 24, 28, 15, 7, 15, 17, 9});
}

TEST(IntegerProducts, ConvIntegerHasAZeroPointForEachFilter) {
  ModelMaker maker(10);
  maker.input("x", {"1", "1", "1", "2"}, kI8).input("w", {"2", "1", "1", "1"}, kI8).input("wz", {"2"}, kI8);
  maker.node("ConvInteger", {"x", "w", "", "wz"}, {"y"}).output("y", {"1", "2", "1", "2"}, kI32);
  expect_both(maker, {{-128, 127}, {127, -128}, {-128, 0}}, {-128 * 255, 127 * 255, 128 * 128, -128 * 127});
}

// f32 has whole numbers up to 2^24: 258 products of bytes with zero points.
TEST(IntegerProducts, ALongSumIsComputedInF64) {
  const auto computed_in = [](const std::string& channels) {
    ModelMaker maker(10);
    maker.input("x", {"1", channels, "1", "1"}, kU8).input("w", {"1", channels, "1", "1"}, kU8);
    maker.node("ConvInteger", {"x", "w"}, {"y"}).output("y");
    const auto model = imported(maker);
    EXPECT_EQ(output_type(model.graph), "i32[1,1,1,1]");
    return model.graph.type(model.graph.nodes().front().outputs.front()).dtype;
  };
  EXPECT_EQ(computed_in("258"), DType::kF32);
  EXPECT_EQ(computed_in("259"), DType::kF64);
}

// The numbers are those of ONNX's own example.
TEST(IntegerProducts, QLinearMatMulRoundsAndSaturates) {
  ModelMaker maker(10);
  maker.input("a", {"2", "4"}, kU8).input("as", {"1"}).input("az", {"1"}, kU8);
  maker.input("b", {"4", "3"}, kU8).input("bs", {"1"}).input("bz", {"1"}, kU8).input("ys", {"1"}).input("yz", {"1"}, kU8);
  maker.node("QLinearMatMul", {"a", "as", "az", "b", "bs", "bz", "ys", "yz"}, {"y"}).output("y", {"2", "3"}, kU8);
  expect_both(maker,
              {{208, 236, 0, 238, 3, 214, 255, 29},
               {0.0066},
               {113},
               {152, 51, 244, 60, 26, 255, 0, 127, 246, 127, 254, 247},
               {0.00705},
               {114},
               {0.0107},
               {118}},
              {168, 115, 255, 1, 66, 151});
}

TEST(IntegerProducts, QLinearMatMulHasScalesForRowsAndColumns) {
  ModelMaker maker(10);
  maker.input("a", {"2", "1"}, kI8).input("as", {"2"}).input("az", {"2"}, kI8);
  maker.input("b", {"1", "3"}, kI8).input("bs", {"3"}).input("bz", {"3"}, kI8).input("ys", {}).input("yz", {}, kI8);
  maker.node("QLinearMatMul", {"a", "as", "az", "b", "bs", "bz", "ys", "yz"}, {"y"}).output("y", {"2", "3"}, kI8);
  expect_both(maker, {{5, 6}, {1, 2}, {1, 2}, {1, 2, 3}, {1, 2, 4}, {0, 1, 2}, {2}, {-1}}, {1, 3, 7, 3, 7, 15});
}

TEST(IntegerProducts, QLinearConvAddsItsBiasInWholeNumbers) {
  ModelMaker maker(10);
  maker.input("x", {"1", "1", "1", "3"}, kU8).input("xs", {}).input("xz", {}, kU8);
  maker.input("w", {"2", "1", "1", "2"}, kI8).input("ws", {"2"}).input("wz", {"2"}, kI8);
  maker.input("ys", {}).input("yz", {}, kU8).input("b", {"2"}, kI32);
  maker.node("QLinearConv", {"x", "xs", "xz", "w", "ws", "wz", "ys", "yz", "b"}, {"y"}).output("y", {"1", "2", "1", "2"}, kU8);
  // (x - 1) · (w - wz): {1·1 + 2·2, 2·1 + 3·2} and {1·3 - 2·1, 2·3 - 3·1}, plus 4 and 100.
  expect_both(maker, {{2, 3, 4}, {0.5}, {1}, {1, 2, 4, 0}, {1, 0.5}, {0, 1}, {0.25}, {10}, {4, 100}}, {28, 34, 111, 113});
}

TEST(IntegerProducts, RefusesWhatIsNoByte) {
  ModelMaker maker(10);
  maker.input("x", {"1", "1", "3", "3"}, kF32).input("w", {"1", "1", "2", "2"}, kF32).node("ConvInteger", {"x", "w"}, {"y"});
  EXPECT_TRUE(has(imported(maker.output("y")).barriers.begin()->second, "it takes other numbers than bytes"));
}

}  // namespace
}  // namespace fuselab
