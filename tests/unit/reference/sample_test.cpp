// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <set>

#include "core/base/random.h"
#include "core/cost/cost.h"
#include "core/reference/reference_sample.h"
#include "core/reference/special_inputs.h"
#include "tests/support/rotation.h"
#include "tests/unit/reference/reference_support.h"

namespace fuselab {
namespace {

using reference::Needed;

// One graph per way of reading operands; small, so that the whole can be evaluated beside the sample.
class SampledGraphs : public testing::TestWithParam<const char*> {};
INSTANTIATE_TEST_SUITE_P(
    EveryAccess, SampledGraphs,
    testing::Values(
        "graph(i0: f32[6,10], i1: f32[10]) { a = Exp(i0); b = Mul(i1, i1); v0 = Add(a, b); return v0 }",
        "graph(i0: f32[6,10]) { a = Exp(i0); v0 = Softmax(a); return v0 }",
        "graph(i0: f32[6,10]) { a = Exp(i0); v0 = LogSoftmax(a, axis=0); return v0 }",
        "graph(i0: f32[6,10], p0: param f32[10]) { a = Exp(i0); v0 = RMSNormalization(a, p0); return v0 }",
        "graph(i0: f32[6,2,5], p0: param f32[5], p1: param f32[2,5]) { a = Exp(i0); v0 = LayerNormalization(a, p0, p1, axis=1); "
        "return v0 }",
        "graph(i0: f32[4,3,5]) { a = Exp(i0); v0 = ReduceSum(a, axes=[1]); return v0 }",
        "graph(i0: f32[4,3,5]) { a = Exp(i0); v0 = ReduceMax(a, axes=[0,2], keepdims=0); return v0 }",
        "graph(i0: f32[6,10], p0: param f32[10,7]) { a = Exp(i0); b = Neg(p0); v0 = MatMul(a, b); return v0 }",
        "graph(i0: f32[2,6,10], p0: param f32[10,7]) { a = Exp(i0); b = Neg(p0); v0 = MatMul(a, b); return v0 }",
        "graph(i0: f32[10,6], p0: param f32[7,10], p1: param f32[7]) { a = Exp(i0); b = Neg(p0);"
        " v0 = Gemm(a, b, p1, transA=1, transB=1); return v0 }",
        "graph(i0: f32[1,4,6,6], p0: param f32[6,2,3,3]) { a = Exp(i0); v0 = Conv(a, p0, group=2, pads=[1,1,1,1], strides=[2,2]); "
        "return v0 }",
        "graph(i0: f32[1,4,6,6]) { a = Exp(i0); v0 = MaxPool(a, kernel_shape=[3,3], strides=[2,2], pads=[1,1,1,1]); return v0 }",
        "graph(i0: f32[1,4,6,6]) { a = Exp(i0); v0 = AveragePool(a, kernel_shape=[2,2]); return v0 }",
        "graph(i0: f32[1,4,6,6]) { a = Exp(i0); v0 = GlobalAveragePool(a); return v0 }",
        "graph(i0: f32[2,4,3], p0: param f32[4], p1: param f32[4], p2: param f32[4], p3: param f32[4]) {"
        " a = Exp(i0); v0 = BatchNormalization(a, p0, p1, p2, p3); return v0 }",
        "graph(i0: f32[1,4,6,8], i1: f32[1,2,7,8], i2: f32[1,2,7,3]) { a = Neg(i0); b = Neg(i1); c = Exp(i2);"
        " v0 = Attention(a, b, c, is_causal=1); return v0 }",
        "graph(i0: f32[1,2,5,8], i1: f32[1,5,4], i2: f32[1,5,4]) { a = Exp(i0); b = Neg(i1); v0 = RotaryEmbedding(a, b, i2); "
        "return v0 }",
        "graph(i0: f32[4,6]) { a = Exp(i0); b = Transpose(a); v0 = Reshape(b, shape=[2,12]); return v0 }",
        "graph(i0: f32[4,6], i1: f32[4,2]) { a = Exp(i0); b = Neg(i1); v0 = Concat(a, b, axis=1); return v0 }",
        "graph(i0: f32[4,6]) { a = Exp(i0); s, t = Split(a, axis=1, split=[2,4]); v0 = Neg(t); return v0 }",
        "graph(i0: f32[4,6]) { a = Exp(i0); v0 = Slice(a, starts=[5], ends=[-100], axes=[1], steps=[-2]); return v0 }",
        "graph(i0: f32[4,1]) { a = Exp(i0); v0 = Expand(a, shape=[2,4,3]); return v0 }",
        "graph(p0: param f32[5,4], i0: i64[3]) { a = Exp(p0); v0 = Gather(a, i0); return v0 }",
        "graph(i0: f32[6,4], i1: i64[6]) { a = Exp(i0); v0 = SoftmaxCrossEntropyLoss(a, i1, reduction=\"none\"); return v0 }"));

TEST_P(SampledGraphs, ASampleEqualsTheWhole) {
  const Graph graph = test::graph_of(GetParam());
  const auto inputs = make_inputs(graph, {});
  const auto whole = evaluate_reference(graph, inputs);
  const auto bounds = expected_outputs(graph, inputs, 1);
  ASSERT_TRUE(whole.ok() && bounds.ok());
  const std::int64_t count = static_cast<std::int64_t>(whole.value()[0].data.size());
  for (const std::int64_t start : {std::int64_t{0}, count / 2, count - 1}) {
    const Needed wanted = Needed::only({start, (start * 7 + 3) % count});
    const auto needed = reference::demand_behind(graph, std::vector{wanted});
    const auto sampled = reference::expected_for(graph, inputs, needed);
    ASSERT_TRUE(sampled.ok());
    const ExpectedOutput& output = sampled.value()[0];
    ASSERT_EQ(output.values.size(), wanted.positions().size());
    for (std::size_t i = 0; i < output.values.size(); ++i) {
      const auto at = static_cast<std::size_t>(output.positions[i]);
      EXPECT_NEAR(output.values[i], whole.value()[0].data[at], 1e-12) << at;
      EXPECT_NEAR(output.magnitude[i], bounds.value()[0].magnitude[at], 1e-4 * bounds.value()[0].magnitude[at]) << at;
    }
  }
}

TEST(Sample, SmallGraphsAreCheckedWhole) {
  const Graph graph = test::graph_of("graph(i0: f32[6,10], p0: param f32[10,7]) { v0 = MatMul(i0, p0); return v0 }");
  const auto expected = expected_outputs(graph, make_inputs(graph, {}), 1).value();
  EXPECT_TRUE(expected[0].positions.empty());
  EXPECT_EQ(expected[0].values.size(), 42U);
}

// What a check of the graph would look at, or, but for `./test --full`, a part of it that rotates with the seed.
std::vector<Needed> checked(const Graph& graph, const std::vector<Needed>& needed) {
  if (test::run_everything()) return needed;
  constexpr std::size_t kPart = 64;
  const auto all = needed[static_cast<std::size_t>(graph.outputs()[0])].positions();
  std::vector<std::int64_t> part;
  for (std::size_t i = test::sample_seed() % kPart; i < all.size(); i += kPart) part.push_back(all[i]);
  return reference::demand_behind(graph, std::vector{Needed::only(std::move(part))});
}

TEST(Sample, LargeProductsAreCheckedAtTileEdgesAndSeededPositions) {
  const Graph graph = test::graph_of("graph(i0: f32[1025,1024], p0: param f32[1024,1030]) { v0 = MatMul(i0, p0); return v0 }");
  ASSERT_GT(cost_of(graph).value().flops, kSampledAboveFlops);
  const auto needed = reference::needed_for_check(graph, 7).value();
  const auto sample = needed[static_cast<std::size_t>(graph.outputs()[0])].positions();
  const auto again = reference::needed_for_check(graph, 7).value();
  EXPECT_TRUE(std::ranges::equal(sample, again[static_cast<std::size_t>(graph.outputs()[0])].positions()));
  EXPECT_GT(sample.size(), 4096U + 3000U);
  const std::set<std::int64_t> positions(sample.begin(), sample.end());
  for (const std::int64_t row : {0, 1024}) {
    for (const std::int64_t column : {0, 1029}) EXPECT_TRUE(positions.count(row * 1030 + column)) << row << ',' << column;
  }
  const auto inputs = make_inputs(graph, {});
  const auto expected = reference::expected_for(graph, inputs, checked(graph, needed)).value();
  ASSERT_GT(expected[0].positions.size(), 100U);
  for (std::size_t i = 0; i < expected[0].positions.size(); i += 97) {
    const std::int64_t at = expected[0].positions[i];
    double sum = 0;
    for (std::int64_t k = 0; k < 1024; ++k) {
      sum += inputs[0].data[static_cast<std::size_t>(at / 1030 * 1024 + k)] *
             inputs[1].data[static_cast<std::size_t>(k * 1030 + at % 1030)];
    }
    EXPECT_NEAR(expected[0].values[i], sum, 1e-11);
  }
}

bool is_edge(std::int64_t at, std::int64_t extent) {
  return at == extent - 1 || at % 8 <= 1 || at % 8 == 7;
}

// A product with an epilogue as models have them, above the size that is checked whole.
TEST(Sample, AllEdgesOfTilesAreCheckedWhereTheyAreAffordable) {
  const Graph graph = test::graph_of(
      "graph(i0: f32[128,2048], p0: param f32[2048,5504], p1: param f32[5504]) {"
      " a = MatMul(i0, p0); b = Add(a, p1); v0 = Swish(b); return v0 }");
  ASSERT_GT(cost_of(graph).value().flops, kSampledAboveFlops);
  const auto needed = reference::needed_for_check(graph, 1).value();
  const auto positions = needed[static_cast<std::size_t>(graph.outputs()[0])].positions();
  std::int64_t edges = 0, corners = 0, others = 0;
  for (const std::int64_t at : positions) {
    const std::int64_t row = at / 5504, column = at % 5504;
    const bool edge = is_edge(row, 128) && is_edge(column, 5504);
    ++(edge ? edges : others);
    if (row % 8 == 0 && column % 8 == 0) ++corners;
  }
  EXPECT_EQ(corners, 16 * 688);
  EXPECT_EQ(edges, (3 * 16) * (3 * 688)) << "multiples of eight and both neighbours";
  EXPECT_GT(others, 4096 / 2) << "most seeded positions are no edges";
}

TEST(Sample, SeededPositionsAreDifferentOnes) {
  const TensorType type{DType::kF32, {Dim(100), Dim(100)}};
  EXPECT_GE(reference::sample_of(type, 0, 1, {1, 4096}).positions().size(), 4096U);
  EXPECT_EQ(reference::sample_of({DType::kF32, {Dim(10), Dim(10)}}, 0, 1, {1, 4096}).positions().size(), 100U);
}

// Beyond what all edges may cost, there are as many as fit in, and 64 per axis always.
TEST(Sample, VeryLargeProductsKeepManyEdges) {
  const Graph graph = test::graph_of("graph(i0: f32[4096,4096], p0: param f32[4096,4096]) { v0 = MatMul(i0, p0); return v0 }");
  const auto needed = reference::needed_for_check(graph, 1).value();
  const auto product = needed[static_cast<std::size_t>(graph.outputs()[0])];
  EXPECT_GT(product.positions().size(), 256U * 256U);
  EXPECT_LE(2.0 * 4096 * static_cast<double>(product.positions().size()), 2 * kSampledAboveFlops);
}

TEST(Sample, RowsOfAProductAreTheSameWholeOrInParts) {
  const Graph graph =
      test::graph_of("graph(i0: f32[2,6,40], p0: param f32[40,50]) { a = Exp(i0); b = Neg(p0); v0 = MatMul(a, b); return v0 }");
  const auto inputs = make_inputs(graph, {});
  const auto whole = evaluate_reference(graph, inputs).value();
  std::vector<std::int64_t> wanted;
  for (std::int64_t row = 0; row < 12; ++row) {
    for (std::int64_t column = 0; column < 50; column += row % 3 == 0 ? 2 : 17) wanted.push_back(row * 50 + column);
  }
  const auto needed = reference::demand_behind(graph, std::vector{Needed::only(wanted)});
  const auto sampled = reference::expected_for(graph, inputs, needed).value();
  ASSERT_EQ(sampled[0].positions, wanted);
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    EXPECT_NEAR(sampled[0].values[i], whole[0].data[static_cast<std::size_t>(wanted[i])], 1e-12) << wanted[i];
  }
}

TEST(Sample, RowOperatorsBehindAProductKeepTheSampleAffordable) {
  const Graph graph = test::graph_of(
      "graph(i0: f32[600,6400], p0: param f32[6400,600], i1: f32[600,600], p1: param f32[600]) {"
      " a = MatMul(i0, p0); b = Add(a, i1); v0 = RMSNormalization(b, p1); return b, v0 }");
  const auto needed = reference::needed_for_check(graph, 1).value();
  const auto product = needed[static_cast<std::size_t>(graph.nodes()[0].outputs[0])];
  ASSERT_GT(cost_of(graph).value().flops, 2 * kSampledAboveFlops);
  const double flops = 2.0 * 6400 * static_cast<double>(product.count(600 * 600));
  EXPECT_LE(flops, 2 * kSampledAboveFlops);
  for (const ValueId output : graph.outputs()) EXPECT_GE(needed[static_cast<std::size_t>(output)].positions().size(), 4096U);
}

TEST(Sample, IsAsLargeAsItsPriceAllows) {
  const Graph graph = test::graph_of("graph(i0: f32[256,512], p0: param f32[512,300]) { v0 = MatMul(i0, p0); return v0 }");
  const auto inputs = make_inputs(graph, {});
  const auto all = expected_sample(graph, inputs, 1, 1e9).value();
  EXPECT_TRUE(all[0].positions.empty());
  const auto some = expected_sample(graph, inputs, 1, 2e6).value();
  ASSERT_GT(some[0].positions.size(), 500U);
  EXPECT_LE(2.0 * 512 * static_cast<double>(some[0].positions.size()), 2e6);
  for (std::size_t i = 0; i < some[0].positions.size(); ++i) {
    EXPECT_NEAR(some[0].values[i], all[0].values[static_cast<std::size_t>(some[0].positions[i])], 1e-12);
  }
  const auto none = expected_sample(graph, inputs, 1, 1e3);
  ASSERT_FALSE(none.ok());
  EXPECT_EQ(none.error().code, ErrorCode::kUnsupported);
  EXPECT_NE(none.error().message.find("MFLOP"), std::string::npos) << none.error().message;
}

// Large inputs are changed only where the sample looks: enough of them to matter, few enough to be quick.
TEST(Sample, KnowsThePlacesOfLargeInputsThatItDependsOn) {
  constexpr std::int64_t kElements = 1 << 18;
  for (const char* const text :
       {"graph(i0: f32[4096,1024], p0: param f32[1024]) { v0 = Add(i0, p0); return v0 }",
        "graph(i0: f32[4096,1024]) { v0 = Softmax(i0); return v0 }",
        "graph(i0: f32[4096,1024], i1: f32[4096,1024], p0: param f32[1024]) {"
        " a = Add(i0, i1); v0 = RMSNormalization(a, p0); return a, v0 }",
        "graph(i0: f32[1024,4096]) { v0 = ReduceMean(i0, axes=[0]); return v0 }",
        "graph(i0: f32[2048,1024]) { v0 = ReduceSum(i0, axes=[0,1]); return v0 }",
        "graph(i0: f32[1024,1024], p0: param f32[1024,1024]) { v0 = MatMul(i0, p0); v1 = Relu(v0); return v1 }"}) {
    SCOPED_TRACE(text);
    const Graph graph = test::graph_of(text);
    const SampleBudget budget(2e7, kElements);
    const auto places = places_behind_sample(graph, 1, budget);
    ASSERT_TRUE(places.ok()) << places.error().message;
    std::vector<RealTensor> inputs = make_inputs(graph, {});
    std::int64_t changed = 0;
    for (std::size_t i = 0; i < inputs.size(); ++i) {
      const std::vector<std::int64_t>& at = places.value()[i];
      EXPECT_EQ(at.empty(), !depends_on_pattern(graph, graph.inputs()[i]));
      EXPECT_TRUE(std::is_sorted(at.begin(), at.end()));
      const RealTensor special = make_elements(graph, i, {InputPattern::kSpecial, 1}, at);
      const RealTensor whole = make_input(graph, i, {InputPattern::kSpecial, 1});
      for (std::size_t k = 0; k < at.size(); ++k) {
        const double want = whole.data[static_cast<std::size_t>(at[k])];
        ASSERT_TRUE(special.data[k] == want || (std::isnan(special.data[k]) && std::isnan(want))) << at[k];
        inputs[i].data[static_cast<std::size_t>(at[k])] = special.data[k];
      }
      changed += static_cast<std::int64_t>(at.size());
    }
    EXPECT_GT(changed, 1000);
    EXPECT_LE(changed, kElements);
    const auto expected = expected_sample(graph, inputs, 1, budget);
    ASSERT_TRUE(expected.ok()) << expected.error().message;
    for (const ExpectedOutput& output : expected.value()) {
      EXPECT_TRUE(std::any_of(output.values.begin(), output.values.end(), [](double x) { return !std::isfinite(x); }));
    }
  }
}

}  // namespace
}  // namespace fuselab
