// SPDX-License-Identifier: Apache-2.0
#include <cmath>

#include "core/reference/tolerance.h"
#include "tests/unit/reference/reference_support.h"

namespace fuselab {
namespace {

using test::evaluate;
using test::graph_of;
using test::inputs_of;
using test::near;
using testing::ElementsAre;

std::string error_of(const std::string& text, const std::vector<std::vector<double>>& data) {
  const Graph graph = graph_of(text);
  const auto outputs = evaluate_reference(graph, inputs_of(graph, data));
  return outputs.ok() ? "" : outputs.error().message;
}

TEST(ReferenceIndexed, GatherElementsAlongAnAxis) {
  EXPECT_THAT(evaluate("graph(i0: f32[2,2], i1: i64[2,2]) { v0 = GatherElements(i0, i1, axis=1); return v0 }",
                       {{1, 2, 3, 4}, {0, 0, 1, -2}}),
              ElementsAre(1, 1, 4, 3));
  EXPECT_THAT(evaluate("graph(i0: f32[3,3], i1: i64[2,3]) { v0 = GatherElements(i0, i1); return v0 }",
                       {{1, 2, 3, 4, 5, 6, 7, 8, 9}, {1, 2, 0, 2, 0, 0}}),
              ElementsAre(4, 8, 3, 7, 2, 3));
  EXPECT_EQ(error_of("graph(i0: f32[2], i1: i64[1]) { v0 = GatherElements(i0, i1); return v0 }", {{1, 2}, {2}}),
            "GatherElements: index 2 at 0 is outside of the 2 entries");
}

TEST(ReferenceIndexed, GatherNDByTuples) {
  const std::vector<double> cube = {0, 1, 2, 3, 4, 5, 6, 7};
  EXPECT_THAT(evaluate("graph(i0: f32[2,2], i1: i64[2,2]) { v0 = GatherND(i0, i1); return v0 }", {{0, 1, 2, 3}, {0, 0, 1, 1}}),
              ElementsAre(0, 3));
  EXPECT_THAT(evaluate("graph(i0: f32[2,2,2], i1: i64[2,1]) { v0 = GatherND(i0, i1); return v0 }", {cube, {1, 0}}),
              ElementsAre(4, 5, 6, 7, 0, 1, 2, 3));
  EXPECT_THAT(evaluate("graph(i0: f32[2,2,2], i1: i64[2,1]) { v0 = GatherND(i0, i1, batch_dims=1); return v0 }", {cube, {1, -2}}),
              ElementsAre(2, 3, 4, 5));
}

TEST(ReferenceIndexed, ScatterElementsReplacesOrReduces) {
  const auto of = [](const std::string& reduction) {
    return evaluate("graph(i0: f32[5], i1: i64[3], i2: f32[3]) { v0 = ScatterElements(i0, i1, i2, reduction=\"" + reduction +
                        "\"); return v0 }",
                    {{1, 2, 3, 4, 5}, {1, 3, -4}, {6, 2, 3}});
  };
  EXPECT_THAT(of("none"), ElementsAre(1, 3, 3, 2, 5));
  EXPECT_THAT(of("add"), ElementsAre(1, 11, 3, 6, 5));
  EXPECT_THAT(of("mul"), ElementsAre(1, 36, 3, 8, 5));
  EXPECT_THAT(of("max"), ElementsAre(1, 6, 3, 4, 5));
  EXPECT_THAT(of("min"), ElementsAre(1, 2, 3, 2, 5));
}

TEST(ReferenceIndexed, ScatterNDWritesSlices) {
  EXPECT_THAT(evaluate("graph(i0: f32[3,2], i1: i64[2,1], i2: f32[2,2]) { v0 = ScatterND(i0, i1, i2); return v0 }",
                       {{1, 2, 3, 4, 5, 6}, {2, 0}, {7, 8, 9, 10}}),
              ElementsAre(9, 10, 3, 4, 7, 8));
  EXPECT_EQ(
      error_of("graph(i0: f32[3], i1: i64[1,1], i2: f32[1]) { v0 = ScatterND(i0, i1, i2); return v0 }", {{1, 2, 3}, {-4}, {7}}),
      "ScatterND: index -4 at 0 is outside of the 3 entries");
}

TEST(ReferenceIndexed, SeededIndicesAreInRange) {
  for (const char* text :
       {"graph(i0: f32[7,5], i1: i64[3,5]) { v0 = GatherElements(i0, i1); return v0 }",
        "graph(i0: f32[3,7,2], i1: i64[40,2]) { v0 = GatherND(i0, i1); return v0 }",
        "graph(i0: f32[7,5], i1: i64[7,40], i2: f32[7,40]) { v0 = ScatterElements(i0, i1, i2, axis=1); return v0 }",
        "graph(i0: f32[2,9], i1: i64[40,1], i2: f32[40,9]) { v0 = ScatterND(i0, i1, i2); return v0 }",
        "graph(i0: f32[40,3], i1: i64[40]) { v0 = NegativeLogLikelihoodLoss(i0, i1); return v0 }"}) {
    const Graph graph = graph_of(text);
    EXPECT_TRUE(evaluate_reference(graph, make_inputs(graph, {})).ok()) << text;
  }
}

TEST(ReferenceBorders, PadsInEveryMode) {
  const auto of = [](const std::string& pads, const std::string& mode) {
    return evaluate("graph(i0: f32[3]) { v0 = Pad(i0, pads=" + pads + ", " + mode + "); return v0 }", {{1, 2, 3}});
  };
  EXPECT_THAT(of("[1,2]", "value=9.0"), ElementsAre(9, 1, 2, 3, 9, 9));
  EXPECT_THAT(of("[2,1]", "mode=\"reflect\""), ElementsAre(3, 2, 1, 2, 3, 2));
  EXPECT_THAT(of("[1,2]", "mode=\"edge\""), ElementsAre(1, 1, 2, 3, 3, 3));
  EXPECT_THAT(of("[1,4]", "mode=\"wrap\""), ElementsAre(3, 1, 2, 3, 1, 2, 3, 1));
  EXPECT_THAT(of("[-1,1]", "mode=\"constant\""), ElementsAre(2, 3, 0));
  EXPECT_THAT(evaluate("graph(i0: f32[2,2]) { v0 = Pad(i0, pads=[1,0,0,1]); return v0 }", {{1, 2, 3, 4}}),
              ElementsAre(0, 0, 0, 1, 2, 0, 3, 4, 0));
}

TEST(ReferenceBorders, Triangles) {
  const auto of = [](const std::string& attributes) {
    return evaluate("graph(i0: i32[1,2,3]) { v0 = Trilu(i0" + attributes + "); return v0 }", {{1, 2, 3, 4, 5, 6}});
  };
  EXPECT_THAT(of(""), ElementsAre(1, 2, 3, 0, 5, 6));
  EXPECT_THAT(of(", upper=0"), ElementsAre(1, 0, 0, 4, 5, 0));
  EXPECT_THAT(of(", k=1"), ElementsAre(0, 2, 3, 0, 0, 6));
  EXPECT_THAT(of(", upper=0, k=-1"), ElementsAre(0, 0, 0, 4, 0, 0));
}

TEST(ReferenceLoss, NegativeLogLikelihood) {
  const std::vector<double> scores = {-1, -2, -3, -4, -5, -6};
  const auto of = [&](const std::string& attributes) {
    return evaluate("graph(i0: f32[2,3], i1: i64[2]) { v0 = NegativeLogLikelihoodLoss(i0, i1" + attributes + "); return v0 }",
                    {scores, {2, 0}});
  };
  EXPECT_THAT(of(", reduction=\"none\""), ElementsAre(3, 4));
  EXPECT_THAT(of(""), ElementsAre(3.5));
  EXPECT_THAT(of(", reduction=\"sum\""), ElementsAre(7));
  EXPECT_THAT(of(", ignore_index=2"), ElementsAre(4));
  EXPECT_THAT(evaluate("graph(i0: f32[2,3], i1: i64[2], i2: f32[3]) { v0 = NegativeLogLikelihoodLoss(i0, i1, i2); return v0 }",
                       {scores, {2, 0}, {1, 1, 3}}),
              near({(9.0 + 4) / 4}));
  EXPECT_THAT(
      evaluate("graph(i0: f32[1,2,2], i1: i64[1,2]) { v0 = NegativeLogLikelihoodLoss(i0, i1, reduction=\"none\"); return v0 }",
               {{-1, -2, -3, -4}, {1, 0}}),
      ElementsAre(3, 2));
}

TEST(ReferenceIndexed, ASampleReadsOnlyWhatPadsAndTrianglesKeep) {
  const Graph graph = graph_of(
      "graph(i0: f32[1500,1000], i1: f32[1000,1500]) "
      "{ v0 = MatMul(i0, i1); v1 = Trilu(v0); v2 = Pad(v1, pads=[1,1,1,1]); return v2 }");
  const auto expected = expected_outputs(graph, make_inputs(graph, {}), 1);
  ASSERT_TRUE(expected.ok());
  const auto& found = expected.value()[0];
  ASSERT_FALSE(found.positions.empty());
  for (std::size_t i = 0; i < found.positions.size(); ++i) {
    const std::int64_t row = found.positions[i] / 1502, column = found.positions[i] % 1502;
    const bool kept = row > 0 && row < 1501 && column < 1501 && column >= row;
    EXPECT_EQ(found.values[i] != 0, kept) << row << ',' << column;
  }
}

}  // namespace
}  // namespace fuselab
