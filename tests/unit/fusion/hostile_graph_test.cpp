// SPDX-License-Identifier: Apache-2.0
// Graphs that were made to harm: cutting one as large as a file may hold ends in bounded time.
#include <gmock/gmock.h>

#include <chrono>
#include <functional>

#include "core/fusion/written_out/recompose.h"
#include "fusion_test_support.h"

namespace fuselab {
namespace {
namespace hostile {

using ::testing::AllOf;
using ::testing::Contains;
using ::testing::Field;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

// GCC and Clang say in different ways that they compile for a sanitizer.
#if defined(__SANITIZE_ADDRESS__)
constexpr bool kUnderSanitizers = true;
#elif defined(__has_feature)
constexpr bool kUnderSanitizers = __has_feature(address_sanitizer);
#else
constexpr bool kUnderSanitizers = false;
#endif

// A walk that grows with the square is 4e10 steps. The sanitizers' build is not optimised and thirty times as slow; it looks for
// something else.
constexpr int kNodes = kUnderSanitizers ? 6'000 : 200'000;

// Generously, for slow machines.
constexpr auto kMost = std::chrono::seconds(60);

const TensorType kMatrix{DType::kF32, {Dim(8), Dim(8)}};

ValueId add(Graph& graph, Op op, std::vector<ValueId> inputs, Attributes attributes = {}) {
  const auto added = graph.add_node(op, std::move(inputs), std::move(attributes));
  EXPECT_TRUE(added.ok());
  return graph.node(added.value()).outputs.front();
}

using Build = std::function<void(Graph&, ValueId)>;

Graph built(const Build& build) {
  Graph graph;
  build(graph, graph.add_input("x", kMatrix, ValueOrigin::kInput));
  return graph;
}

struct Named {
  const char* name;
  Build build;
};

void PrintTo(const Named& named, std::ostream* out) {
  *out << named.name;
}

class HostileGraph : public ::testing::TestWithParam<Named> {};

TEST_P(HostileGraph, IsCutInBoundedTime) {
  const Graph graph = built(GetParam().build);
  const auto begin = std::chrono::steady_clock::now();
  const auto recomposed = recompose(graph);
  const auto cut = fuse(recomposed ? recomposed->graph : graph, {});
  EXPECT_TRUE(cut.ok());
  EXPECT_LT(std::chrono::steady_clock::now() - begin, kMost);
}

// One that reads many, and is read by many pieces.
void funnel(Graph& graph, ValueId x) {
  std::vector<ValueId> parts;
  for (int i = 0; i < kNodes / 4; ++i) parts.push_back(add(graph, Op::kMatMul, {x, x}));
  const ValueId largest = add(graph, Op::kMax, parts);
  for (int i = 0; i < kNodes / 2; ++i) graph.add_output(add(graph, Op::kMatMul, {largest, x}));
}

// Renamings that join backwards, one a pass, beside much that is asked in each.
void renamed_rows(Graph& graph, ValueId x) {
  for (int i = 0; i < kNodes / 2; ++i) graph.add_output(add(graph, Op::kTanh, {add(graph, Op::kMatMul, {x, x})}));
  for (int i = 0; i < 255; ++i) x = add(graph, Op::kIdentity, {x});
  graph.add_output(add(graph, Op::kSoftmax, {x}, {{"axis", std::int64_t{-1}}}));
}

void star(Graph& graph, ValueId x) {
  const ValueId shared = add(graph, Op::kRelu, {x});
  for (int i = 0; i < kNodes; ++i) graph.add_output(add(graph, Op::kTanh, {shared}));
}

// Nodes that read tens of thousands of values each, which others read as well.
void fans(Graph& graph, ValueId x) {
  for (int k = 0; k < 4; ++k) {
    std::vector<ValueId> parts;
    for (int i = 0; i < kNodes / 8; ++i) {
      parts.push_back(add(graph, Op::kRelu, {x}));
      graph.add_output(add(graph, Op::kTanh, {parts.back()}));
    }
    graph.add_output(add(graph, Op::kConcat, parts, {{"axis", std::int64_t{0}}}));
  }
}

// Values that are worth computing again, each for two readers.
void forks(Graph& graph, ValueId x) {
  for (int i = 0; i < kNodes / 5; ++i) {
    const ValueId shared = add(graph, Op::kRelu, {x});
    for (int k = 0; k < 2; ++k) x = add(graph, Op::kMatMul, {x, add(graph, Op::kAdd, {shared, x})});
  }
  graph.add_output(x);
}

// One value that is worth computing again, for half of all nodes.
void copies(Graph& graph, ValueId x) {
  const ValueId shared = add(graph, Op::kRelu, {x});
  for (int i = 0; i < kNodes / 2; ++i) graph.add_output(add(graph, Op::kAdd, {shared, x}));
}

// Norms that share their mean, so that each but one is a pattern of which another holds a part.
void norms(Graph& graph, ValueId x) {
  const auto mean_of = [&](ValueId value) {
    return add(graph, Op::kReduceMean, {value}, {{"axes", std::vector<std::int64_t>{1}}});
  };
  const ValueId mean = mean_of(x), square = add(graph, Op::kMul, {mean, mean});
  for (int i = 0; i < kNodes / 6; ++i) {
    const ValueId variance = add(graph, Op::kSub, {mean_of(add(graph, Op::kMul, {x, x})), square});
    const ValueId centred = add(graph, Op::kSub, {x, mean});
    graph.add_output(add(graph, Op::kDiv, {centred, add(graph, Op::kSqrt, {variance})}));
  }
}

// Pairs that turn by one sine, as in the rotary embedding that ONNX writes out, and have no other product with it.
void turns(Graph& graph, ValueId x) {
  const ValueId cosine = add(graph, Op::kCos, {x}), sine = add(graph, Op::kSin, {x});
  for (int i = 0; i < kNodes / 4; ++i) {
    const ValueId both = add(graph, Op::kConcat, {x, x}, {{"axis", std::int64_t{1}}});
    const auto split = graph.add_node(Op::kSplit, {both}, {{"axis", std::int64_t{1}}, {"split", std::vector<std::int64_t>{8, 8}}});
    ASSERT_TRUE(split.ok());
    const auto parts = graph.node(split.value()).outputs;
    x = add(graph, Op::kSub, {add(graph, Op::kMul, {cosine, parts[0]}), add(graph, Op::kMul, {sine, parts[1]})});
  }
  graph.add_output(x);
}

INSTANTIATE_TEST_SUITE_P(Shapes, HostileGraph,
                         ::testing::Values(Named{"Star", star}, Named{"Fans", fans}, Named{"Forks", forks}, Named{"Copies", copies},
                                           Named{"Norms", norms}, Named{"Turns", turns}, Named{"Funnel", funnel},
                                           Named{"RenamedRows", renamed_rows}),
                         [](const auto& named) { return std::string(named.param.name); });

void chain(Graph& graph, ValueId x, Op op, int length) {
  for (int i = 0; i < length; ++i) x = add(graph, op, {x});
  graph.add_output(x);
}

void chain_of_reshapes(Graph& graph, ValueId x, int length) {
  for (int i = 0; i < length; ++i) {
    const bool square = i % 2 != 0;
    x = add(graph, Op::kReshape, {x}, {{"shape", std::vector<std::int64_t>{square ? 8 : 4, square ? 8 : 16}}});
  }
  graph.add_output(x);
}

// Views that stand far behind what they rename.
void late_views(Graph& graph, ValueId x) {
  std::vector<ValueId> made;
  for (int i = 0; i < kNodes / 2; ++i) made.push_back(add(graph, Op::kRelu, {x}));
  for (const ValueId value : made)
    graph.add_output(add(graph, Op::kReshape, {value}, {{"shape", std::vector<std::int64_t>{4, 16}}}));
}

// A value that the first node makes and the last of each rung reads.
void ladder(Graph& graph, ValueId x) {
  const ValueId shared = add(graph, Op::kRelu, {x});
  for (int i = 0; i < kNodes / 2; ++i) x = add(graph, Op::kAdd, {add(graph, Op::kMatMul, {x, x}), shared});
  graph.add_output(x);
}

// Two chains one after the other, and sums across.
void comb(Graph& graph, ValueId x, int length) {
  std::vector<ValueId> first{x}, second{x};
  for (int i = 0; i < length; ++i) first.push_back(add(graph, Op::kMatMul, {first.back(), x}));
  for (int i = 0; i < length; ++i) second.push_back(add(graph, Op::kRelu, {second.back()}));
  for (std::size_t i = 1; i < first.size(); ++i) graph.add_output(add(graph, Op::kAdd, {first[i], second[i]}));
}

INSTANTIATE_TEST_SUITE_P(Walks, HostileGraph,
                         ::testing::Values(Named{"Renamings",
                                                 [](Graph& graph, ValueId x) { chain(graph, x, Op::kIdentity, kNodes); }},
                                           Named{"Relus", [](Graph& graph, ValueId x) { chain(graph, x, Op::kRelu, kNodes); }},
                                           Named{"Reshapes", [](Graph& graph, ValueId x) { chain_of_reshapes(graph, x, kNodes); }},
                                           Named{"LateViews", late_views}, Named{"Ladder", ladder},
                                           Named{"Comb", [](Graph& graph, ValueId x) { comb(graph, x, 2'000); }}),
                         [](const auto& named) { return std::string(named.param.name); });

// What no limit of ordinary graphs ends: nodes that count as no operator.
void expect_three_pieces(const FusionResult& result) {
  ASSERT_EQ(result.operations.size(), 3u);
  EXPECT_EQ(result.operations[0].nodes.size(), 256u);
  EXPECT_EQ(result.operations[1].nodes.size(), 256u);
  EXPECT_EQ(result.operations[2].nodes.size(), 88u);
  ASSERT_EQ(result.rejected.size(), 2u);
  for (const auto& rejected : result.rejected) EXPECT_THAT(rejected.reason, HasSubstr("together they are more than 256 nodes"));
}

TEST(PieceOfMuchThatOnlyRenames, HasAnEndAndSaysSo) {
  expect_three_pieces(testing::fused(built([](Graph& graph, ValueId x) { chain(graph, x, Op::kIdentity, 600); })));
  expect_three_pieces(testing::fused(built([](Graph& graph, ValueId x) { chain_of_reshapes(graph, x, 600); })));
}

TEST(GraphOfTooManyPaths, SaysThatFusionGaveUpAndFusesWhatIsNear) {
  if (kUnderSanitizers) GTEST_SKIP() << "under the sanitizers it takes longer than a test may";
  constexpr int kLength = 14'000;
  const auto begin = std::chrono::steady_clock::now();
  const auto result = testing::fused(built([](Graph& graph, ValueId x) { comb(graph, x, kLength); }));
  EXPECT_LT(std::chrono::steady_clock::now() - begin, kMost);
  ASSERT_EQ(result.notes.size(), 1u);
  EXPECT_THAT(result.notes.front(), HasSubstr("paths of this graph cross so often that fusion did not follow all"));
  EXPECT_THAT(result.rejected, Contains(AllOf(Field(&FusionRejected::reason, HasSubstr("was not followed to its end")),
                                              Field(&FusionRejected::backend, IsEmpty()))));
  EXPECT_EQ(result.original_op_count, 3 * kLength);
  // The Relus are near each other: ten are a piece all the same.
  EXPECT_LT(result.operations.size(), static_cast<std::size_t>(kLength * 9 / 4));
}

TEST(GraphOfFewPaths, IsCutWholeHoweverLargeItIs) {
  const auto views = testing::fused(built(late_views));
  EXPECT_EQ(views.operations.size(), static_cast<std::size_t>(kNodes / 2));
  EXPECT_THAT(views.notes, IsEmpty());
  const auto again = testing::fused(built(copies));
  EXPECT_THAT(again.rejected, IsEmpty());
  EXPECT_THAT(again.notes, IsEmpty());
}

}  // namespace hostile
}  // namespace
}  // namespace fuselab
