// SPDX-License-Identifier: Apache-2.0
#include <cmath>
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

constexpr double kEndless = std::numeric_limits<double>::infinity();
using namespace testing::code;

ModelMaker reduction(const std::string& op, int code = 1) {
  return ModelMaker(18).input("x", {"2", "3"}, code).node(op, {"x"}, {"y"}).output("y");
}

TEST(ComposedReductions, AxesComeAsAttributeOrAsInput) {
  const auto early = imported(
      ModelMaker(13).input("x", {"2", "3"}).node("ReduceL1", {"x"}, {"y"}).with_list("axes", {-1}).with("keepdims", 0).output("y"));
  EXPECT_EQ(output_type(early.graph), "f32[2]");
  expect_close(evaluated(early, {{1, -2, 3, -4, 5, -6}}), {6, 15});
  const auto late =
      imported(ModelMaker(18).input("x", {"2", "3"}).integers("a", {0}).node("ReduceL2", {"x", "a"}, {"y"}).output("y"));
  EXPECT_EQ(output_type(late.graph), "f32[1,3]");
  expect_close(evaluated(late, {{3, 5, 8, -4, 12, -15}}), {5, 13, 17});
}

TEST(ComposedReductions, WithoutAxesAllAreTaken) {
  expect_close(evaluated(reduction("ReduceSumSquare"), {{1, 2, 3, 4, 5, 6}}), {91});
  EXPECT_EQ(output_type(imported(reduction("ReduceMin").with("keepdims", 0)).graph), "f32[]");
}

TEST(ComposedReductions, EmptyAxesMayMeanThatNothingIsReducedAndTheRestHappens) {
  const auto operators = [](const std::string& op) {
    return operators_of(imported(reduction(op).with("noop_with_empty_axes", 1)).graph);
  };
  EXPECT_EQ(operators("ReduceL1"), "Abs");
  EXPECT_EQ(operators("ReduceSumSquare"), "Mul");
  EXPECT_EQ(operators("ReduceLogSum"), "Log");
  EXPECT_EQ(operators("ReduceLogSumExp"), "Identity");
  EXPECT_EQ(output_type(imported(reduction("ReduceL2").with("noop_with_empty_axes", 1)).graph), "f32[2,3]");
}

TEST(ComposedReductions, PowersNeitherOverflowNorVanish) {
  ModelMaker maker(18);
  maker.input("x", {"4", "2"}).integers("a", {1}).node("ReduceLogSumExp", {"x", "a"}, {"y"}).with("keepdims", 0).output("y");
  EXPECT_EQ(output_type(imported(maker).graph), "f32[4]");
  expect_close(evaluated(maker, {{1000, 1000, -1000, -1000, -kEndless, -kEndless, 0, kEndless}}),
               {1000 + std::log(2), -1000 + std::log(2), -kEndless, kEndless});
}

TEST(ComposedReductions, TheLeastIntegerIsFoundAtTheEndOfItsRange) {
  expect_close(evaluated(reduction("ReduceMin", kI32), {{5, -2147483648.0, 0, 2147483647, 1, 2}}), {-2147483648.0});
  expect_close(evaluated(reduction("ReduceMin", kU8), {{255, 254, 3, 200, 128, 127}}), {3});
  expect_close(evaluated(reduction("ReduceMin", kU8), {{255, 0, 3, 200, 128, 127}}), {0});
  expect_close(evaluated(reduction("ReduceMin", kU16), {{65535, 7, 40000, 65534, 9, 300}}), {7});
  expect_close(evaluated(reduction("ReduceMin", kU32), {{4294967295, 4294967294, 3000000000, 4294967295, 4e9, 3.5e9}}), {3e9});
  EXPECT_EQ(barrier_of(reduction("ReduceMin", kU64)),
            "its least number is found below the largest one, which in u64 no constant holds");
}

TEST(ComposedReductions, WhatIsNotUnderstoodIsABarrierOfItsType) {
  ModelMaker computed(18);
  computed.input("x", {"2", "3"}).input("a", {"1"}, kI64).node("ReduceL1", {"x", "a"}, {"y"}).output("y", {"1", "3"});
  EXPECT_EQ(barrier_of(computed), "its axes are computed");
  const auto integers = imported(reduction("ReduceL2", kI32).node("Neg", {"y"}, {"z"}).output("z"));
  EXPECT_EQ(operators_of(integers.graph), "?ReduceL2 Neg");
  EXPECT_EQ(output_type(integers.graph), "i32[1,1]");
  EXPECT_TRUE(
      has(error_of(ModelMaker(18).input("x", {"2", "3"}).integers("a", {2}).node("ReduceL1", {"x", "a"}, {"y"}).output("y")),
          "outside rank 2"));
  EXPECT_EQ(barrier_of(reduction("ReduceL1").with("leak", 1)), "its attribute 'leak' is not known");
}

TEST(ComposedReductions, SymbolsStay) {
  const auto model =
      imported(ModelMaker(18).input("x", {"batch", "3"}).integers("a", {1}).node("ReduceLogSumExp", {"x", "a"}, {"y"}).output("y"));
  EXPECT_EQ(output_type(model.graph), "f32[batch,1]");
}

ModelMaker pool(const std::string& op) {
  return ModelMaker(17).input("x", {"1", "2", "2", "2"}).node(op, {"x"}, {"y"}).output("y");
}

TEST(ComposedReductions, PoolsOverAllOfAPicture) {
  const std::vector<double> x = {1, 2, -5, 4, 0, -3, -4, -1};
  expect_close(evaluated(pool("GlobalMaxPool"), {x}), {4, 0});
  expect_close(evaluated(pool("GlobalLpPool"), {x}), {std::sqrt(46), std::sqrt(26)});
  expect_close(evaluated(pool("GlobalLpPool").with("p", 1), {x}), {12, 8});
  expect_close(evaluated(pool("GlobalLpPool").with("p", 3), {x}), {std::cbrt(198), std::cbrt(92)});
  EXPECT_EQ(output_type(imported(pool("GlobalLpPool")).graph), "f32[1,2,1,1]");
  EXPECT_TRUE(has(error_of(ModelMaker().input("x", {"2", "3"}).node("GlobalMaxPool", {"x"}, {"y"}).output("y")), "rank 3 or more"));
}

}  // namespace
}  // namespace fuselab
