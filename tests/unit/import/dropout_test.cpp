// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "evaluated.h"

namespace fuselab {
namespace {

using testing::barrier_of;
using testing::error_of;
using testing::evaluated;
using testing::has;
using testing::imported;
using testing::ModelMaker;
using testing::operators_of;
using testing::some_numbers;

constexpr std::size_t kRows = 60, kColumns = 70;

ModelMaker dropout(double ratio, std::int64_t seed, bool training = true) {
  ModelMaker maker;
  maker.input("x", {std::to_string(kRows), std::to_string(kColumns)})
      .number("ratio", static_cast<float>(ratio))
      .flag("training", training);
  maker.node("Dropout", {"x", "ratio", "training"}, {"y", "mask"}).with("seed", seed).output("y");
  return maker;
}

std::vector<double> masked(double ratio, std::int64_t seed) {
  return evaluated(dropout(ratio, seed), {std::vector<double>(kRows * kColumns, 1.0)});
}

std::vector<RealTensor> both_results(ModelMaker& maker, const std::vector<double>& x) {
  const auto model = imported(maker);
  const std::vector<RealTensor> inputs{{model.graph.type(model.graph.inputs()[0]), x}};
  auto results = evaluate_reference(model.graph, inputs);
  EXPECT_TRUE(results.ok()) << results.error().message;
  return results.ok() ? std::move(results).value() : std::vector<RealTensor>();
}

double share(const std::vector<double>& numbers, double value) {
  return static_cast<double>(std::count(numbers.begin(), numbers.end(), value)) / static_cast<double>(numbers.size());
}

TEST(Dropout, DropsTheShareThatIsAskedAndScalesTheRest) {
  for (const double ratio : {0.1, 0.5, 0.75}) {
    const auto numbers = masked(ratio, 7);
    const double scale = 1 / (1 - static_cast<double>(static_cast<float>(ratio)));
    for (const double number : numbers) ASSERT_TRUE(number == 0 || std::abs(number - scale) < 1e-6) << number;
    // Four standard deviations of a fair draw.
    EXPECT_NEAR(share(numbers, 0), ratio, 4 * std::sqrt(ratio * (1 - ratio) / (kRows * kColumns)));
  }
  EXPECT_EQ(masked(0, 7), std::vector<double>(kRows * kColumns, 1.0));
  EXPECT_EQ(masked(1, 7), std::vector<double>(kRows * kColumns, 0.0));
}

TEST(Dropout, IsTheSameForASeedAndAnotherForAnother) {
  EXPECT_EQ(masked(0.5, 7), masked(0.5, 7));
  const auto one = masked(0.5, 7);
  for (const std::int64_t seed : {8, 0, -7}) {
    const auto other = masked(0.5, seed);
    std::size_t same = 0;
    for (std::size_t i = 0; i < one.size(); ++i) same += one[i] == other[i] ? 1 : 0;
    EXPECT_NEAR(static_cast<double>(same) / static_cast<double>(one.size()), 0.5, 0.035) << seed;
  }
}

// A mask whose neighbours, or whose rows or columns, were alike would bias what it is for.
TEST(Dropout, NeighboursAreIndependent) {
  const auto mask = masked(0.5, 11);
  const auto alike = [&](std::size_t rows, std::size_t columns) {
    std::size_t same = 0, all = 0;
    for (std::size_t row = 0; row + rows < kRows; ++row) {
      for (std::size_t column = 0; column + columns < kColumns; ++column, ++all)
        same += mask[row * kColumns + column] == mask[(row + rows) * kColumns + column + columns] ? 1 : 0;
    }
    return static_cast<double>(same) / static_cast<double>(all);
  };
  for (std::size_t distance = 1; distance <= 8; ++distance) {
    EXPECT_NEAR(alike(0, distance), 0.5, 0.035) << distance;
    EXPECT_NEAR(alike(distance, 0), 0.5, 0.035) << distance;
    EXPECT_NEAR(alike(distance, distance), 0.5, 0.035) << distance;
  }
}

TEST(Dropout, GivesItsMask) {
  ModelMaker maker = dropout(0.5, 7);
  maker.output("mask");
  const auto results = both_results(maker, std::vector<double>(kRows * kColumns, 3.0));
  ASSERT_EQ(results.size(), 2U);
  EXPECT_EQ(results[1].type.dtype, DType::kBool);
  for (std::size_t i = 0; i < kRows * kColumns; ++i) ASSERT_EQ(results[0].data[i], 6.0 * results[1].data[i]);
}

TEST(Dropout, KeepsAllAtInference) {
  ModelMaker maker = dropout(0.5, 7, false);
  const auto x = some_numbers(kRows * kColumns);
  EXPECT_EQ(evaluated(maker, {x}), x);
  maker.output("mask");
  const auto results = both_results(maker, x);
  ASSERT_EQ(results.size(), 2U);
  EXPECT_EQ(results[1].data, std::vector<double>(kRows * kColumns, 1.0));
}

TEST(Dropout, OfOldOperatorSetsTrainsUnlessItSaysNot) {
  const auto old = [](int opset, std::int64_t is_test) {
    ModelMaker maker(opset);
    maker.input("x", {"8"}).node("Dropout", {"x"}, {"y", "mask"}).with("is_test", is_test).output("y");
    return maker;
  };
  EXPECT_EQ(barrier_of(old(6, 0)), "it is training");
  EXPECT_EQ(operators_of(imported(old(6, 1)).graph), "Identity");
  ModelMaker mask(9);
  mask.input("x", {"8"}).node("Dropout", {"x"}, {"y", "mask"}).output("y").output("mask");
  EXPECT_EQ(barrier_of(mask), "its mask is read");
}

TEST(Dropout, SaysWhatItCannotDo) {
  ModelMaker symbolic;
  symbolic.input("x", {"rows", "8"}).flag("training", true).node("Dropout", {"x", "", "training"}, {"y"}).output("y");
  EXPECT_EQ(imported(symbolic).barriers.begin()->second, "its extents are not known");
  ModelMaker computed;
  computed.input("x", {"8"}).input("r", {}).flag("training", true).node("Dropout", {"x", "r", "training"}, {"y"}).output("y");
  EXPECT_EQ(imported(computed).barriers.begin()->second, "how much it drops is computed");
  EXPECT_TRUE(has(error_of(dropout(1.5, 7)), "drops 1.5"));
}

}  // namespace
}  // namespace fuselab
