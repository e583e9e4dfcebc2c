// SPDX-License-Identifier: Apache-2.0
// ConvTranspose, Resize and the quantised operators beyond ONNX's own cases.
#include <cmath>
#include <limits>

#include "tests/unit/import/evaluated.h"

namespace fuselab {
namespace {

using testing::barrier_of;
using testing::error_of;
using testing::evaluated;
using testing::expect_close;
using testing::has;
using testing::imported;
using testing::ModelMaker;
using testing::output_type;
using testing::some_numbers;

struct Line {
  std::int64_t channels = 1, outputs = 1, extent = 1, kernel = 1, stride = 1, dilation = 1, begin = 0, end = 0, more = 0, group = 1;
};

ModelMaker transposed(const Line& line) {
  ModelMaker maker;
  maker.input("x", {"1", std::to_string(line.channels), std::to_string(line.extent)});
  maker.weight("w", {line.channels, line.outputs / line.group, line.kernel}).node("ConvTranspose", {"x", "w"}, {"y"});
  maker.with_list("strides", {line.stride}).with_list("dilations", {line.dilation}).with_list("pads", {line.begin, line.end});
  return maker.with_list("output_padding", {line.more}).with("group", line.group).output("y");
}

// As the definition has it: each input element is added, times the window, around its place.
std::vector<double> scattered(const Line& line, const std::vector<double>& x, const std::vector<double>& w) {
  const std::int64_t length =
      line.stride * (line.extent - 1) + line.more + (line.kernel - 1) * line.dilation + 1 - line.begin - line.end;
  std::vector<double> y(static_cast<std::size_t>(line.outputs * length));
  const std::int64_t per_group = line.outputs / line.group;
  for (std::int64_t c = 0; c < line.channels; ++c) {
    const std::int64_t first = c / (line.channels / line.group) * per_group;
    for (std::int64_t m = 0; m < per_group; ++m) {
      for (std::int64_t i = 0; i < line.extent; ++i) {
        for (std::int64_t k = 0; k < line.kernel; ++k) {
          const std::int64_t place = i * line.stride + k * line.dilation - line.begin;
          if (place < 0 || place >= length) continue;
          y[static_cast<std::size_t>((first + m) * length + place)] +=
              x[static_cast<std::size_t>(c * line.extent + i)] * w[static_cast<std::size_t>((c * per_group + m) * line.kernel + k)];
        }
      }
    }
  }
  return y;
}

TEST(ConvTranspose, AddsEachElementTimesTheWindowAroundItsPlace) {
  const Line lines[] = {{2, 3, 4, 3},
                        {2, 3, 4, 3, 2},
                        {1, 1, 5, 4, 3, 2, 2, 1, 1},
                        {4, 6, 3, 2, 2, 1, 0, 0, 1, 2},
                        {4, 4, 3, 1, 3, 1, 0, 0, 2, 4},
                        {1, 2, 6, 2, 1, 1, 3, 2}};
  for (const Line& line : lines) {
    const auto x = some_numbers(static_cast<std::size_t>(line.channels * line.extent));
    const auto w = some_numbers(static_cast<std::size_t>(line.channels * line.outputs / line.group * line.kernel));
    expect_close(evaluated(transposed(line), {x, w}), scattered(line, x, w));
  }
}

TEST(ConvTranspose, SaysWhatItCannotDo) {
  EXPECT_TRUE(has(error_of(transposed({3, 2, 4, 3, 1, 1, 0, 0, 0, 2})), "cannot make 2 groups of 3 channels"));
  ModelMaker maker;
  maker.input("x", {"1", "2", "n"}).weight("w", {2, 3, 3}).node("ConvTranspose", {"x", "w"}, {"y"}).output("y");
  EXPECT_EQ(barrier_of(maker), "its extents are not known");
  ModelMaker flat;
  flat.input("x", {"1", "2"}).weight("w", {2, 3}).node("ConvTranspose", {"x", "w"}, {"y"}).output("y");
  EXPECT_TRUE(has(error_of(flat), "needs X [N,C,…] and W [C,M,…]"));
}

TEST(ConvTranspose, RefusesNumbersThatNothingCounts) {
  constexpr std::int64_t kLeast = std::numeric_limits<std::int64_t>::min();
  constexpr std::int64_t kMany = std::int64_t{1} << 40;
  EXPECT_TRUE(has(error_of(transposed({.begin = kLeast})), "its pads have -9223372036854775808 in them"));
  EXPECT_TRUE(has(error_of(transposed({.end = kMany})), "its pads have 1099511627776 in them"));
  EXPECT_TRUE(has(error_of(transposed({.channels = kMany, .outputs = kMany, .group = kMany})), "its weights have 1099511627776"));
  EXPECT_TRUE(has(error_of(transposed({.channels = 0})), "its weights have 0 channels"));
  EXPECT_TRUE(has(error_of(transposed({.more = -1})), "its output_padding has -1 in it"));
  EXPECT_TRUE(has(error_of(transposed({.more = kMany})), "its output_padding has 1099511627776 in it"));
  ModelMaker bogus = transposed({.extent = 4});
  EXPECT_TRUE(has(error_of(bogus.with_text("auto_pad", "BOGUS")), "its auto_pad is BOGUS"));
}

ModelMaker resized(const std::vector<std::int64_t>& sizes, const std::string& transform, const std::string& rounding) {
  ModelMaker maker;
  maker.input("x", {"1", "1", "2", "2"}).integers("sizes", sizes).node("Resize", {"x", "", "", "sizes"}, {"y"});
  return maker.with_text("mode", "nearest")
      .with_text("coordinate_transformation_mode", transform)
      .with_text("nearest_mode", rounding)
      .output("y");
}

TEST(Resize, RepeatsElementsWhereItEnlargesByWholeNumbers) {
  const std::vector<double> x{1, 2, 3, 4};
  expect_close(evaluated(resized({1, 1, 2, 6}, "asymmetric", "floor"), {x}), {1, 1, 1, 2, 2, 2, 3, 3, 3, 4, 4, 4});
  expect_close(evaluated(resized({1, 1, 4, 4}, "half_pixel", "round_prefer_floor"), {x}),
               {1, 1, 2, 2, 1, 1, 2, 2, 3, 3, 4, 4, 3, 3, 4, 4});
  EXPECT_EQ(output_type(imported(resized({1, 1, 2, 2}, "asymmetric", "floor")).graph), "f32[1,1,2,2]");
}

TEST(Resize, IsABarrierWhereItDoesNot) {
  EXPECT_EQ(barrier_of(resized({1, 1, 3, 3}, "asymmetric", "floor")), "it does not enlarge by whole numbers that are known");
  EXPECT_EQ(barrier_of(resized({1, 1, 1, 1}, "asymmetric", "floor")), "it does not enlarge by whole numbers that are known");
  EXPECT_EQ(barrier_of(resized({1, 1, 4, 4}, "asymmetric", "ceil")), "it takes the nearest element by asymmetric and ceil");
  ModelMaker maker = resized({1, 1, 4, 4}, "asymmetric", "floor");
  maker.graph().mutable_node(0)->mutable_attribute(0)->set_s("cubic");
  EXPECT_EQ(barrier_of(maker), "its mode is cubic: only nearest is understood");
}

TEST(Resize, IsABarrierWhereItsResultIsMoreThanIsCounted) {
  ModelMaker maker;
  maker.input("x", {std::to_string(std::int64_t{1} << 59)}).reals("scales", {1}, {65536.0F});
  maker.node("Resize", {"x", "", "scales"}, {"y"}).with_text("coordinate_transformation_mode", "asymmetric");
  EXPECT_EQ(barrier_of(maker.with_text("nearest_mode", "floor").output("y")), "its result is larger than can be counted");
}

ModelMaker lp_pool(std::int64_t p) {
  ModelMaker maker(18);
  maker.input("x", {"1", "1", "4"}).node("LpPool", {"x"}, {"y"}).with_list("kernel_shape", {2}).with("p", p);
  return maker.with_list("pads", {1, 0}).output("y");
}

TEST(LpPool, IsTheRootOfTheSumOfPowersWithNothingBeyondTheBorder) {
  expect_close(evaluated(lp_pool(1), {{-3, 4, 0, -5}}), {3, 7, 4, 5});
  expect_close(evaluated(lp_pool(2), {{-3, 4, 0, -5}}), {3, 5, 4, 5});
  expect_close(evaluated(lp_pool(3), {{-3, 4, 0, -5}}), {3, std::cbrt(91.0), 4, 5});
  EXPECT_TRUE(has(error_of(lp_pool(0)), "its p is 0"));
  EXPECT_EQ(barrier_of(lp_pool(2).with("ceil_mode", 1)), "its last windows may end beyond its padding");
}

TEST(Quantize, RoundsHalvesToEvenAndStaysWithinItsType) {
  ModelMaker maker;
  maker.input("x", {"6"}).number("scale", 2.0F).node("QuantizeLinear", {"x", "scale"}, {"y"}).output("y");
  expect_close(evaluated(maker, {{1, 3, 5, -4, 600, 4.9}}), {0, 2, 2, 0, 255, 2});
  EXPECT_EQ(output_type(imported(maker).graph), "u8[6]");
}

constexpr int kBytes = 2;  // ONNX's number of u8

// Of [2,3] along an axis; the other way round where `back`.
ModelMaker quantised(std::int64_t axis, std::int64_t scales, bool back) {
  ModelMaker maker(19);
  maker.input("x", {"2", "3"}, back ? kBytes : 1).input("scale", {std::to_string(scales)});
  return maker.node(back ? "DequantizeLinear" : "QuantizeLinear", {"x", "scale"}, {"y"}).with("axis", axis).output("y");
}

TEST(Quantize, CountsItsAxisFromEitherEnd) {
  for (const std::int64_t axis : {0, -2}) {
    expect_close(evaluated(quantised(axis, 2, true), {{1, 2, 3, 4, 5, 6}, {1, 10}}), {1, 2, 3, 40, 50, 60});
    expect_close(evaluated(quantised(axis, 2, false), {{1, 2, 3, 40, 50, 60}, {1, 10}}), {1, 2, 3, 4, 5, 6});
  }
  for (const std::int64_t axis : {1, -1}) {
    expect_close(evaluated(quantised(axis, 3, true), {{1, 2, 3, 4, 5, 6}, {1, 10, 2}}), {1, 20, 6, 4, 50, 12});
  }
}

TEST(Quantize, RefusesAxesThatItsInputDoesNotHave) {
  const std::int64_t wrong[] = {2, -3, -3'000'000'000, std::int64_t{1} << 40, std::numeric_limits<std::int64_t>::min()};
  for (const bool back : {false, true}) {
    for (const std::int64_t axis : wrong) {
      EXPECT_TRUE(has(error_of(quantised(axis, 2, back)), "axis " + std::to_string(axis) + " is outside rank 2")) << axis;
    }
    EXPECT_TRUE(has(error_of(quantised(0, 3, back)), "has 3 scales or zero points for the 2 positions of axis 0"));
    // One number for all: the axis says nothing.
    EXPECT_EQ(imported(quantised(7, 1, back)).opaque_nodes, 0);
  }
}

TEST(Quantize, IsABarrierWhereItsTypeIsNotKnown) {
  const auto to = [](std::int64_t code, bool with_zero) {
    ModelMaker maker(21);
    maker.input("x", {"6"}).input("scale", {}).input("zero", {}, kBytes);
    maker.node("QuantizeLinear",
               with_zero ? std::vector<std::string>{"x", "scale", "zero"} : std::vector<std::string>{"x", "scale"}, {"y"});
    return maker.with("output_dtype", code).output("y", {"6"}, kBytes);
  };
  EXPECT_EQ(barrier_of(to(99, false)), "it quantises to ONNX element type 99");
  EXPECT_EQ(barrier_of(to(3, true)), "its zero point is of another type than its result");
  for (const bool with_zero : {false, true}) {
    EXPECT_EQ(barrier_of(to(0, with_zero)), "");
    EXPECT_EQ(barrier_of(to(kBytes, with_zero)), "");
  }
}

TEST(Quantize, MultipliesMatricesOfBytesInWholeNumbers) {
  ModelMaker maker(10);
  maker.input("a", {"2", "2"}, 2).input("b", {"2", "1"}, 3).node("MatMulInteger", {"a", "b"}, {"y"}).output("y");
  expect_close(evaluated(maker, {{255, 255, 1, 2}, {127, -128}}), {-255, -129});
  EXPECT_EQ(output_type(imported(maker).graph), "i32[2,1]");
}

TEST(MatMulInteger, TakesOneZeroPointForEachRowOrColumnAndNoOthers) {
  const auto with_zeros = [](const std::string& a, const std::string& b, const std::string& rows, const std::string& columns) {
    ModelMaker maker;
    maker.input("a", {a, "2"}, 2).input("b", {"2", b}, 3).input("za", {rows}, 2).input("zb", {columns}, 3);
    maker.node("MatMulInteger", {"a", "b", "za", "zb"}, {"y"}).output("y");
    return maker;
  };
  expect_close(evaluated(with_zeros("2", "1", "2", "1"), {{5, 6, 7, 8}, {1, 2}, {5, 6}, {1}}), {1, 2});
  EXPECT_EQ(imported(with_zeros("1", "2", "3", "2")).barriers.begin()->second, "its zero points u8[3] do not fit u8[1,2]");
  EXPECT_EQ(imported(with_zeros("2", "1", "2", "4")).barriers.begin()->second, "its zero points i8[4] do not fit i8[2,1]");
}

// What is not known of extents while a model is read is a formula, and folds when it is.
TEST(KnownExtents, FoldShapeArithmetic) {
  ModelMaker maker;
  maker.input("x", {"batch", "seq", "4"}).integers("zero", {0}).integers("one", {1}).integers("four", {4});
  maker.node("Shape", {"x"}, {"s"}).node("Gather", {"s", "zero"}, {"b"}).with("axis", 0);
  maker.node("Gather", {"s", "one"}, {"t"}).with("axis", 0).node("Mul", {"b", "t"}, {"rows"});
  maker.node("Concat", {"rows", "four"}, {"wanted"}).with("axis", 0).node("Reshape", {"x", "wanted"}, {"y"}).output("y");
  const std::string bytes = maker.bytes();
  const auto open = imported(maker);
  EXPECT_EQ(open.opaque_nodes, 0);
  EXPECT_EQ(output_type(open.graph), "f32[batch*seq,4]");
  const auto known = import_onnx_bytes(std::as_bytes(std::span(bytes)), {}, {{"batch", 2}, {"seq", 3}, {"other", 5}});
  ASSERT_TRUE(known.ok()) << known.error().message;
  EXPECT_EQ(known.value().opaque_nodes, 0);
  EXPECT_EQ(output_type(known.value().graph), "f32[6,4]");
  EXPECT_FALSE(import_onnx_bytes(std::as_bytes(std::span(bytes)), {}, {{"batch", 0}}).ok());
}

TEST(KnownExtents, RemaindersAndRoundingAreFolded) {
  ModelMaker maker;
  maker.input("x", {"4"}).integers("seven", {-7}).integers("three", {3}).node("Mod", {"seven", "three"}, {"two"});
  maker.integers("zero", {0}).node("Slice", {"x", "zero", "two"}, {"y"}).output("y");
  EXPECT_EQ(output_type(imported(maker).graph), "f32[2]");
}

}  // namespace
}  // namespace fuselab
