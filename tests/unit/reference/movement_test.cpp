// SPDX-License-Identifier: Apache-2.0
#include "tests/unit/reference/reference_support.h"

namespace fuselab {
namespace {

using test::evaluate;
using test::near;
using testing::ElementsAre;

const std::vector<double> kOneToSix = {1, 2, 3, 4, 5, 6};

std::vector<double> moved(const std::string& call) {
  return evaluate("graph(i0: f32[2,3]) { v0 = " + call + "; return v0 }", {kOneToSix});
}

TEST(ReferenceMovement, ViewsKeepTheOrder) {
  for (const char* call : {"Reshape(i0, shape=[3,-1])", "Flatten(i0)", "Unsqueeze(i0, axes=[0])"}) {
    EXPECT_THAT(moved(call), ElementsAre(1, 2, 3, 4, 5, 6)) << call;
  }
}

TEST(ReferenceMovement, TransposeReversesOrPermutes) {
  EXPECT_THAT(moved("Transpose(i0)"), ElementsAre(1, 4, 2, 5, 3, 6));
  EXPECT_THAT(evaluate("graph(i0: f32[2,1,3]) { v0 = Transpose(i0, perm=[1,2,0]); return v0 }", {kOneToSix}),
              ElementsAre(1, 4, 2, 5, 3, 6));
}

TEST(ReferenceMovement, SliceTakesStepsFromEitherEnd) {
  EXPECT_THAT(moved("Slice(i0, starts=[1], ends=[3], axes=[1])"), ElementsAre(2, 3, 5, 6));
  EXPECT_THAT(moved("Slice(i0, starts=[0,0], ends=[2,3], steps=[1,2])"), ElementsAre(1, 3, 4, 6));
  EXPECT_THAT(moved("Slice(i0, starts=[-1], ends=[-100], axes=[1], steps=[-1])"), ElementsAre(3, 2, 1, 6, 5, 4));
  EXPECT_THAT(moved("Slice(i0, starts=[-2], ends=[1000], axes=[-1])"), ElementsAre(2, 3, 5, 6));
}

TEST(ReferenceMovement, ExpandConcatSplit) {
  EXPECT_THAT(evaluate("graph(i0: f32[2,1]) { v0 = Expand(i0, shape=[2,2]); return v0 }", {{1, 2}}), ElementsAre(1, 1, 2, 2));
  EXPECT_THAT(evaluate("graph(i0: f32[2,1], i1: f32[2,2]) { v0 = Concat(i0, i1, axis=1); return v0 }", {{1, 2}, {3, 4, 5, 6}}),
              ElementsAre(1, 3, 4, 2, 5, 6));
  const std::string split = "graph(i0: f32[2,3]) { v0, v1 = Split(i0, axis=1, split=[1,2]); return v0, v1 }";
  EXPECT_THAT(evaluate(split, {kOneToSix}, 0), ElementsAre(1, 4));
  EXPECT_THAT(evaluate(split, {kOneToSix}, 1), ElementsAre(2, 3, 5, 6));
}

TEST(ReferenceMovement, GatherReadsRowsAndCountsFromTheEnd) {
  const std::string text = "graph(i0: f32[2,3], i1: i64[3]) { v0 = Gather(i0, i1); return v0 }";
  EXPECT_THAT(evaluate(text, {kOneToSix, {1, 0, -1}}), ElementsAre(4, 5, 6, 1, 2, 3, 4, 5, 6));
  EXPECT_THAT(evaluate("graph(i0: f32[2,3], i1: i64[2]) { v0 = Gather(i0, i1, axis=1); return v0 }", {kOneToSix, {2, 0}}),
              ElementsAre(3, 1, 6, 4));
  const Graph graph = test::graph_of(text);
  const auto outside = evaluate_reference(graph, test::inputs_of(graph, {kOneToSix, {0, 2, 0}}));
  ASSERT_FALSE(outside.ok());
  EXPECT_THAT(outside.error().message, testing::HasSubstr("index 2 at 1"));
}

TEST(ReferenceRotary, TurnsPairsByTheirAngle) {
  // A quarter turn of the first pair, none of the second.
  const std::vector<std::vector<double>> data = {{1, 2, 3, 4}, {0, 1}, {1, 0}};
  const std::string head = "graph(i0: f32[1,1,1,4], i1: f32[1,1,2], i2: f32[1,1,2]) { v0 = RotaryEmbedding(i0, i1, i2";
  EXPECT_THAT(evaluate(head + "); return v0 }", data), ElementsAre(-3, 2, 1, 4));
  EXPECT_THAT(evaluate(head + ", interleaved=1); return v0 }", data), ElementsAre(-2, 1, 3, 4));
}

TEST(ReferenceRotary, RotatesOnlyTheFirstPartAndByPosition) {
  EXPECT_THAT(evaluate("graph(i0: f32[1,1,2,3], i1: f32[4,1], i2: f32[4,1], i3: i64[1,2]) {"
                       " v0 = RotaryEmbedding(i0, i1, i2, i3, rotary_embedding_dim=2); return v0 }",
                       {{1, 2, 3, 4, 5, 6}, {1, 0, -1, 0}, {0, 1, 0, -1}, {2, 1}}),
              ElementsAre(-1, -2, 3, -5, 4, 6));
}

TEST(Reference, OpaqueNodesCannotBeComputed) {
  const Graph graph = test::graph_of("graph(i0: f32[2]) { v0: f32[2] = Opaque:MyOp(i0); return v0 }");
  const auto result = evaluate_reference(graph, test::inputs_of(graph, {{1, 2}}));
  ASSERT_FALSE(result.ok());
  EXPECT_EQ(result.error().code, ErrorCode::kUnsupported);
  EXPECT_THAT(result.error().message, testing::HasSubstr("MyOp"));
}

TEST(Reference, WrongInputsAreErrors) {
  const Graph graph = test::graph_of("graph(i0: f32[2]) { v0 = Relu(i0); return v0 }");
  EXPECT_FALSE(evaluate_reference(graph, {}).ok());
  EXPECT_FALSE(evaluate_reference(graph, test::inputs_of(graph, {{1, 2, 3}})).ok());
  EXPECT_FALSE(evaluate_reference(test::graph_of("graph(i0: f32[n]) { v0 = Relu(i0); return v0 }"), {}).ok());
}

}  // namespace
}  // namespace fuselab
