// SPDX-License-Identifier: Apache-2.0
// Tensors that are known while a model is read.
#include <cstring>

#include "core/import/constants/known_generate.h"
#include "evaluated.h"

namespace fuselab {
namespace {

using onnx::KnownTensor;
using testing::barrier_of;
using testing::error_of;
using testing::evaluated;
using testing::expect_close;
using testing::has;
using testing::imported;
using testing::ModelMaker;
using testing::operators_of;
using testing::output_type;

KnownTensor integer(std::int64_t number) {
  return {DType::kI64, {}, {Dim(number)}, {}};
}
KnownTensor real(double number) {
  return {DType::kF32, {}, {}, {number}};
}

TEST(Generated, RangesEndBeforeTheirLimit) {
  using Numbers = std::vector<std::int64_t>;
  const auto numbers = [](std::int64_t start, std::int64_t limit, std::int64_t delta) {
    return onnx::generate_range(integer(start), integer(limit), integer(delta))->numbers->known()->plain_integers();
  };
  EXPECT_EQ(numbers(2, 9, 3), (Numbers{2, 5, 8}));
  EXPECT_EQ(numbers(2, 8, 3), (Numbers{2, 5}));
  EXPECT_EQ(numbers(10, 6, -3), (Numbers{10, 7}));
  EXPECT_EQ(numbers(5, 5, 1), Numbers{});
  EXPECT_EQ(numbers(5, 0, 1), Numbers{});
  expect_close(onnx::generate_range(real(1), real(2), real(0.25))->numbers->known()->reals, {1, 1.25, 1.5, 1.75});
  EXPECT_FALSE(onnx::generate_range(integer(0), integer(5), integer(0)).has_value());
  EXPECT_FALSE(onnx::generate_range(integer(0), real(5), integer(1)).has_value());
  EXPECT_FALSE(onnx::generate_range(integer(INT64_MIN), integer(INT64_MAX), integer(1)).has_value());
  EXPECT_FALSE(onnx::generate_range(real(0), real(1e300), real(1)).has_value());
}

TEST(Generated, LongRangesAreMadeWhereWeightsAreRead) {
  const auto range = onnx::generate_range(integer(INT64_MAX - 1000), integer(INT64_MAX), integer(3));
  EXPECT_EQ(range->extent, Dim(334));
  EXPECT_FALSE(range->numbers->known().has_value());
  const auto bytes = range->numbers->bytes();
  ASSERT_EQ(bytes.size(), 334 * sizeof(std::int64_t));
  std::int64_t last = 0;
  std::memcpy(&last, bytes.data() + bytes.size() - sizeof last, sizeof last);
  EXPECT_EQ(last, INT64_MAX - 1) << "a double would round it";
}

// Position numbers as exporters write them: Range(0, Shape(x)[1], 1).
TEST(Generated, PositionsOfASymbolicSequence) {
  ModelMaker maker;
  maker.input("x", {"batch", "seq", "8"}).integers("one", {1});
  maker.node("Shape", {"x"}, {"s"}).node("Gather", {"s", "one"}, {"n"}).node("Squeeze", {"n"}, {"limit"});
  for (const auto& [name, number] : {std::pair{"start", 0}, std::pair{"delta", 1}}) {
    auto& scalar = *maker.graph().add_initializer();
    scalar.set_name(name);
    scalar.set_data_type(7);
    scalar.add_int64_data(number);
  }
  maker.node("Range", {"start", "limit", "delta"}, {"y"}).output("y");
  const auto model = imported(maker);
  EXPECT_EQ(output_type(model.graph), "i64[seq]");
  EXPECT_EQ(model.nodes, 0);
}

TEST(Generated, OnesOnADiagonal) {
  expect_close(onnx::generate_eye(DType::kF32, 2, 3, 1).known()->reals, {0, 1, 0, 0, 0, 1});
  EXPECT_EQ(onnx::generate_eye(DType::kI32, 2, 2, -1).known()->plain_integers(), (std::vector<std::int64_t>{0, 0, 1, 0}));
  EXPECT_FALSE(onnx::generate_eye(DType::kF32, 65, 65, 0).known().has_value());
  const auto large = imported(ModelMaker().input("x", {"65", "70"}).node("EyeLike", {"x"}, {"y"}).with("dtype", 10).output("y"));
  EXPECT_EQ(output_type(large.graph), "f16[65,70]");
  EXPECT_TRUE(has(error_of(ModelMaker().input("x", {"2"}).node("EyeLike", {"x"}, {"y"}).output("y")), "needs a matrix"));
}

TEST(Generated, OneHotOfKnownIndices) {
  const KnownTensor indices{DType::kI64, {3}, {Dim(1), Dim(-1), Dim(7)}, {}};
  const KnownTensor values{DType::kF32, {2}, {}, {2.0, 5.0}};
  expect_close(onnx::generate_one_hot(indices, 3, values, -1)->reals, {2, 5, 2, 2, 2, 5, 2, 2, 2});
  const auto first = onnx::generate_one_hot(indices, 2, values, 0);
  expect_close(first->reals, {2, 2, 2, 5, 5, 2});
  EXPECT_EQ(first->shape, (std::vector<std::int64_t>{2, 3}));
}

TEST(Generated, OneHotOfComputedIndicesComparesThemWithEachPlace) {
  ModelMaker maker;
  maker.input("i", {"batch", "4"}, 7).integers("depth", {10}).reals("values", {2}, {0, 1});
  maker.node("OneHot", {"i", "depth", "values"}, {"o"}).with("axis", 1).node("Neg", {"o"}, {"y"}).output("y");
  const auto model = imported(maker);
  EXPECT_EQ(model.opaque_nodes, 0);
  EXPECT_EQ(output_type(model.graph), "f32[batch,10,4]");
}

TEST(Generated, OneHotCountsNegativeIndicesFromTheEndAndMissesThoseOutside) {
  ModelMaker maker;
  maker.input("i", {"4"}, 7).integers("depth", {3}).input("values", {"2"});
  maker.node("OneHot", {"i", "depth", "values"}, {"y"}).output("y");
  expect_close(evaluated(maker, {{1, -1, 7, 0}, {2, 5}}), {2, 5, 2, 2, 2, 5, 2, 2, 2, 5, 2, 2});
}

TEST(Generated, DepthsThatCountNothingAreErrors) {
  for (const float depth : {0.0f, -3.0f, 1e30f}) {
    ModelMaker maker;
    maker.input("i", {"4"}, 7).number("depth", depth).reals("values", {2}, {0, 1});
    maker.node("OneHot", {"i", "depth", "values"}, {"y"}).output("y");
    EXPECT_TRUE(has(error_of(maker), "does not fit its indices")) << depth;
  }
}

TEST(Generated, WindowsOfASignal) {
  expect_close(onnx::generate_signal_window("HannWindow", DType::kF64, 4, true).known()->reals, {0, 0.5, 1, 0.5}, 1e-12);
  expect_close(onnx::generate_signal_window("HannWindow", DType::kF64, 5, false).known()->reals, {0, 0.5, 1, 0.5, 0}, 1e-12);
  const auto large = imported(ModelMaker().integers("n", {400}).node("HammingWindow", {"n"}, {"y"}).output("y"));
  EXPECT_EQ(output_type(large.graph), "f32[400]");
  EXPECT_EQ(barrier_of(ModelMaker().input("n", {}, 7).node("HannWindow", {"n"}, {"y"}).output("y", {"8"})), "its size is computed");
}

TEST(Generated, SizesAreNumbersOrFormulas) {
  const auto size = [](const std::vector<std::string>& extents) {
    return ModelMaker().input("x", extents).node("Size", {"x"}, {"n"}).node("Neg", {"n"}, {"y"}).output("y");
  };
  EXPECT_EQ(imported(size({"2", "3"})).nodes, 0);
  EXPECT_EQ(imported(size({"1", "batch"})).opaque_nodes, 0);
  EXPECT_EQ(imported(size({"2", "batch", "seq"})).opaque_nodes, 0);
}

TEST(Generated, OperandsThatAreMissingOrTooMany) {
  ModelMaker range;
  range.integers("a", {0}).node("Range", {"a", "a"}, {"y"}).output("y");
  EXPECT_TRUE(has(error_of(range), "lacks operand 2"));
  ModelMaker elu;
  elu.input("x", {"2"}).node("Elu", {"x", "x"}, {"y"}).output("y", {"2"});
  EXPECT_EQ(barrier_of(elu), "it has 2 operands");
}

}  // namespace
}  // namespace fuselab
