// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <numeric>

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

// Rows of `length` brought to mean 0 and variance 1.
std::vector<double> normalised(std::vector<double> numbers, std::size_t length, double epsilon = 1e-5) {
  for (auto row = numbers.begin(); row != numbers.end(); row += static_cast<std::ptrdiff_t>(length)) {
    const auto end = row + static_cast<std::ptrdiff_t>(length);
    const double mean = std::accumulate(row, end, 0.0) / static_cast<double>(length);
    const double square = std::accumulate(row, end, 0.0, [=](double sum, double x) { return sum + (x - mean) * (x - mean); });
    std::transform(row, end, row, [&](double x) { return (x - mean) / std::sqrt(square / static_cast<double>(length) + epsilon); });
  }
  return numbers;
}

// Piece i of so many equal ones times scale i, plus bias i, over and over.
std::vector<double> scaled(std::vector<double> numbers, std::size_t piece, const std::vector<double>& scale,
                           const std::vector<double>& bias) {
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    const std::size_t place = i / piece % scale.size();
    numbers[i] = numbers[i] * scale[place] + bias[place];
  }
  return numbers;
}

ModelMaker group_norm(int opset, std::int64_t scales, std::int64_t groups = 2) {
  return ModelMaker(opset)
      .input("x", {"2", "4", "3", "1"})
      .weight("s", {scales})
      .weight("b", {scales})
      .node("GroupNormalization", {"x", "s", "b"}, {"y"})
      .with("num_groups", groups)
      .output("y", {"2", "4", "3", "1"});
}

TEST(ComposedNormalizations, GroupsAreScaledInOpset18AndChannelsFrom21) {
  const std::vector<double> x = some_numbers(24);
  expect_close(evaluated(group_norm(18, 2), {x, {2, 3}, {5, 7}}), scaled(normalised(x, 6), 6, {2, 3}, {5, 7}));
  expect_close(evaluated(group_norm(21, 4), {x, {2, 3, 4, 5}, {5, 6, 7, 8}}),
               scaled(normalised(x, 6), 3, {2, 3, 4, 5}, {5, 6, 7, 8}));
  EXPECT_TRUE(has(error_of(group_norm(18, 4)), "needs a scale and a bias [2]"));
  EXPECT_TRUE(has(error_of(group_norm(21, 2)), "needs a scale and a bias [4]"));
  EXPECT_TRUE(has(error_of(group_norm(18, 3, 3)), "cannot make 3 groups of 4 channels"));
  EXPECT_TRUE(has(error_of(group_norm(18, 3, 0)), "cannot make 0 groups"));
  EXPECT_EQ(barrier_of(group_norm(21, 4).with("stash_type", 10)), "its first stage is not computed in f32");
}

TEST(ComposedNormalizations, GroupsOfASymbolicBatch) {
  ModelMaker maker(21);
  maker.input("x", {"batch", "4", "3", "3"}).weight("s", {4}).weight("b", {4});
  maker.node("GroupNormalization", {"x", "s", "b"}, {"y"}).with("num_groups", 2).output("y");
  EXPECT_EQ(output_type(imported(maker).graph), "f32[batch,4,3,3]");
}

TEST(ComposedNormalizations, InstancesAreNormalisedApart) {
  ModelMaker maker;
  maker.input("x", {"2", "2", "3"}).weight("s", {2}).weight("b", {2});
  maker.node("InstanceNormalization", {"x", "s", "b"}, {"y"}).output("y");
  const std::vector<double> x = some_numbers(12);
  expect_close(evaluated(maker, {x, {2, 3}, {5, 7}}), scaled(normalised(x, 3), 3, {2, 3}, {5, 7}));
}

TEST(ComposedNormalizations, MeanAndVarianceOverTheGivenAxes) {
  ModelMaker maker;
  maker.input("x", {"2", "4"}).node("MeanVarianceNormalization", {"x"}, {"y"}).with_list("axes", {1}).output("y");
  const std::vector<double> x = some_numbers(8);
  expect_close(evaluated(maker, {x}), normalised(x, 4, 0), 1e-6);
  // A row of equal numbers has no deviation.
  expect_close(evaluated(maker, {std::vector<double>(8, 3.0)}), std::vector<double>(8, 0.0));
}

ModelMaker lp_norm(std::int64_t p) {
  return ModelMaker(22).input("x", {"2", "2"}).node("LpNormalization", {"x"}, {"y"}).with("p", p).output("y", {"2", "2"});
}

TEST(ComposedNormalizations, ZerosStayZerosWhateverTheirNorm) {
  expect_close(evaluated(lp_norm(2), {{3, -4, 0, 0}}), {0.6, -0.8, 0, 0});
  expect_close(evaluated(lp_norm(1), {{3, -1, 0, 0}}), {0.75, -0.25, 0, 0});
  expect_close(evaluated(lp_norm(2), {{3e-20, -4e-20, 1e-30, 0}}), {0.6, -0.8, 1, 0});
  expect_close(evaluated(lp_norm(2).with("axis", 0), {{3, 0, 4, 0}}), {0.6, 0, 0.8, 0});
  EXPECT_TRUE(has(error_of(lp_norm(3)), "must be 1 or 2"));
}

TEST(ComposedNormalizations, ResponsesAreDividedByThoseOfTheirNeighbours) {
  ModelMaker maker;
  maker.input("x", {"1", "4", "1"})
      .node("LRN", {"x"}, {"y"})
      .with("size", 2)
      .with_real("alpha", 2)
      .with_real("beta", 1)
      .with_real("bias", 1)
      .output("y");
  // A window of 2 reaches one channel ahead, and the sum is divided by 2 at the end as well.
  expect_close(evaluated(maker, {{1, 2, 3, 4}}), {1.0 / 6, 2.0 / 14, 3.0 / 26, 4.0 / 17});
}

}  // namespace
}  // namespace fuselab
