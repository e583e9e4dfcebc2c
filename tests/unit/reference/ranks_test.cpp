// SPDX-License-Identifier: Apache-2.0
#include <cmath>

#include "core/reference/tolerance.h"
#include "tests/unit/reference/reference_support.h"

namespace fuselab {
namespace {

using test::evaluate;
using test::graph_of;
using test::inputs_of;
using testing::ElementsAre;

std::vector<double> of(const std::string& call, const std::vector<double>& data = {3, 1, 3, -1, 5, 5}) {
  return evaluate("graph(i0: f32[2,3]) { v0 = " + call + "; return v0 }", {data});
}

TEST(ReferenceRanks, PlacesOfTheMostAndTheLeast) {
  EXPECT_THAT(of("ArgMax(i0, axis=1)"), ElementsAre(0, 1));
  EXPECT_THAT(of("ArgMax(i0, axis=1, select_last_index=1)"), ElementsAre(2, 2));
  EXPECT_THAT(of("ArgMin(i0, axis=1)"), ElementsAre(1, 0));
  EXPECT_THAT(of("ArgMax(i0, keepdims=0)"), ElementsAre(0, 1, 1));
  EXPECT_THAT(of("ArgMin(i0, axis=-2)"), ElementsAre(1, 0, 0));
}

TEST(ReferenceRanks, NanIsTheMost) {
  const double nan = std::nan("");
  EXPECT_THAT(of("ArgMax(i0, axis=1)", {1, nan, 3, nan, 2, nan}), ElementsAre(1, 0));
  EXPECT_THAT(of("ArgMax(i0, axis=1, select_last_index=1)", {1, nan, 3, nan, 2, nan}), ElementsAre(1, 2));
}

TEST(ReferenceRanks, TheBestOfARowAndTheirPlaces) {
  const auto top = [](const std::string& call, int output) {
    return evaluate("graph(i0: f32[2,3]) { v0, v1 = " + call + "; return v" + std::to_string(output) + " }", {{3, 1, 3, -1, 5, 4}});
  };
  EXPECT_THAT(top("TopK(i0, k=2)", 0), ElementsAre(3, 3, 5, 4));
  EXPECT_THAT(top("TopK(i0, k=2)", 1), ElementsAre(0, 2, 1, 2));
  EXPECT_THAT(top("TopK(i0, k=2, largest=0)", 0), ElementsAre(1, 3, -1, 4));
  EXPECT_THAT(top("TopK(i0, k=1, axis=0)", 1), ElementsAre(0, 1, 1));
}

TEST(ReferenceRanks, HardmaxMarksTheFirstMost) {
  EXPECT_THAT(of("Hardmax(i0)"), ElementsAre(1, 0, 0, 0, 1, 0));
  EXPECT_THAT(of("Hardmax(i0, axis=0)"), ElementsAre(1, 0, 0, 0, 1, 1));
}

TEST(ReferenceRanks, RunningSums) {
  EXPECT_THAT(of("CumSum(i0, axis=1)"), ElementsAre(3, 4, 7, -1, 4, 9));
  EXPECT_THAT(of("CumSum(i0, axis=1, exclusive=1)"), ElementsAre(0, 3, 4, 0, -1, 4));
  EXPECT_THAT(of("CumSum(i0, axis=1, reverse=1)"), ElementsAre(7, 4, 3, 9, 10, 5));
  EXPECT_THAT(of("CumSum(i0, axis=-1, exclusive=1, reverse=1)"), ElementsAre(4, 3, 0, 10, 5, 0));
  EXPECT_THAT(of("CumSum(i0, axis=0)"), ElementsAre(3, 1, 3, 2, 6, 8));
}

TEST(ReferenceRanks, Products) {
  EXPECT_THAT(of("ReduceProd(i0, axes=[1])"), ElementsAre(9, -25));
  EXPECT_THAT(of("ReduceProd(i0, axes=[0])"), ElementsAre(-3, 5, 15));
  EXPECT_THAT(of("ReduceProd(i0)"), ElementsAre(-225));
}

// Whether `actual` is within the bounds of the graph's only output.
bool passes(const Graph& graph, const std::vector<double>& data, std::vector<double> actual) {
  const auto expected = expected_outputs(graph, inputs_of(graph, {data}), 1);
  if (!expected.ok()) throw std::runtime_error(expected.error().message);
  const std::vector<RealTensor> outputs = {{graph.type(graph.outputs()[0]), std::move(actual)}};
  return compare_outputs(graph, expected.value(), outputs).passed;
}

TEST(ReferenceRanks, APlaceIsExactUnlessAnotherIsNearlyAsGood) {
  const Graph exact = graph_of("graph(i0: f32[3]) { v0 = ArgMax(i0); return v0 }");
  EXPECT_TRUE(passes(exact, {1, 2, 1.9999999}, {1}));
  EXPECT_FALSE(passes(exact, {1, 2, 1.9999999}, {2}));
  const Graph computed = graph_of("graph(i0: f32[3]) { v0 = Exp(i0); v1 = ArgMax(v0); return v1 }");
  EXPECT_TRUE(passes(computed, {1, 2, 1.9999999}, {2}));
  EXPECT_FALSE(passes(computed, {1, 2, 1.9999999}, {3}));
  EXPECT_FALSE(passes(computed, {1, 2, 1.9}, {2}));
  const Graph marked = graph_of("graph(i0: f32[3]) { v0 = Exp(i0); v1 = Hardmax(v0); return v1 }");
  EXPECT_TRUE(passes(marked, {1, 2, 1.9999999}, {0, 0, 1}));
  EXPECT_FALSE(passes(marked, {1, 2, 1.9}, {0, 0, 1}));
}

TEST(ReferenceRanks, ProductsAndRunningSumsOfF32AreWithinTheirBounds) {
  const Graph graph = graph_of("graph(i0: f32[8]) { v0 = ReduceProd(i0); return v0 }");
  const std::vector<double> data = {1.1F, 1.3F, 0.7F, 1.9F, 0.3F, 2.7F, 1.7F, 0.9F};
  float product = 1;
  for (const double x : data) product *= static_cast<float>(x);
  EXPECT_TRUE(passes(graph, data, {product}));
  EXPECT_FALSE(passes(graph, data, {product * (1 + 1e-5)}));
  const Graph sums = graph_of("graph(i0: f32[8]) { v0 = CumSum(i0, axis=0); return v0 }");
  std::vector<double> actual;
  float sum = 0;
  for (const double x : data) actual.push_back(sum += static_cast<float>(x));
  EXPECT_TRUE(passes(sums, data, actual));
  actual[3] += 1e-5;
  EXPECT_FALSE(passes(sums, data, actual));
}

TEST(ReferenceRanks, ASampleReadsOnlyTheRowsItNeeds) {
  const Graph graph = graph_of(
      "graph(i0: f32[40000,64], i1: f32[64,512]) "
      "{ v0 = MatMul(i0, i1); v1 = CumSum(v0, axis=1); v2 = ArgMax(v1, axis=1, keepdims=0); return v2 }");
  const auto inputs = make_inputs(graph, {});
  const auto expected = expected_outputs(graph, inputs, 1);
  ASSERT_TRUE(expected.ok());
  EXPECT_LT(expected.value()[0].positions.size(), 40000u);
  EXPECT_GT(expected.value()[0].positions.size(), 64u);
}

}  // namespace
}  // namespace fuselab
