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

// Whether the graph's only output passes when it is `actual`.
bool passes(const Graph& graph, const std::vector<std::vector<double>>& data, std::vector<double> actual) {
  const auto expected = expected_outputs(graph, inputs_of(graph, data), 1);
  if (!expected.ok()) throw std::runtime_error(expected.error().message);
  const std::vector<RealTensor> outputs = {{graph.type(graph.outputs()[0]), std::move(actual)}};
  return compare_outputs(graph, expected.value(), outputs).passed;
}

TEST(ReferencePredicates, Compare) {
  const auto of = [](const std::string& op) {
    return evaluate("graph(i0: f32[4], i1: f32[]) { v0 = " + op + "(i0, i1); return v0 }", {{1, 2, 3, std::nan("")}, {2}});
  };
  EXPECT_THAT(of("Equal"), ElementsAre(0, 1, 0, 0));
  EXPECT_THAT(of("Less"), ElementsAre(1, 0, 0, 0));
  EXPECT_THAT(of("LessOrEqual"), ElementsAre(1, 1, 0, 0));
  EXPECT_THAT(of("Greater"), ElementsAre(0, 0, 1, 0));
  EXPECT_THAT(of("GreaterOrEqual"), ElementsAre(0, 1, 1, 0));
}

TEST(ReferencePredicates, Logic) {
  const auto of = [](const std::string& op) {
    return evaluate("graph(i0: bool[4], i1: bool[4]) { v0 = " + op + "(i0, i1); return v0 }", {{0, 0, 1, 1}, {0, 1, 0, 1}});
  };
  EXPECT_THAT(of("And"), ElementsAre(0, 0, 0, 1));
  EXPECT_THAT(of("Or"), ElementsAre(0, 1, 1, 1));
  EXPECT_THAT(of("Xor"), ElementsAre(0, 1, 1, 0));
  EXPECT_THAT(evaluate("graph(i0: bool[2]) { v0 = Not(i0); return v0 }", {{0, 1}}), ElementsAre(1, 0));
}

TEST(ReferencePredicates, AnswersOfExactOperandsAreExact) {
  const Graph graph = graph_of("graph(i0: f32[2], i1: f32[2]) { v0 = Less(i0, i1); return v0 }");
  EXPECT_TRUE(passes(graph, {{1, 2}, {1, 3}}, {0, 1}));
  EXPECT_FALSE(passes(graph, {{1, 2}, {1, 3}}, {1, 1}));
  EXPECT_FALSE(passes(graph, {{1, 2}, {1, 3}}, {0, 0}));
}

TEST(ReferencePredicates, OnlyWhatRoundingMayTurnIsFree) {
  const Graph graph = graph_of("graph(i0: f32[2], i1: f32[2]) { v0 = Exp(i0); v1 = Less(v0, i1); return v1 }");
  const double near_e = 2.7182819843292236;  // a float beside e
  EXPECT_TRUE(passes(graph, {{1, 1}, {near_e, 3}}, {1, 1}));
  EXPECT_TRUE(passes(graph, {{1, 1}, {near_e, 3}}, {0, 1}));
  EXPECT_FALSE(passes(graph, {{1, 1}, {near_e, 3}}, {1, 0}));
}

TEST(ReferencePredicates, ACertainOperandSettlesAnAnswer) {
  const Graph graph =
      graph_of("graph(i0: f32[2], i1: f32[2], i2: bool[2]) { v0 = Exp(i0); v1 = Less(v0, i1); v2 = And(v1, i2); return v2 }");
  const double near_e = 2.7182819843292236;
  EXPECT_TRUE(passes(graph, {{1, 1}, {near_e, near_e}, {1, 0}}, {0, 0}));
  EXPECT_FALSE(passes(graph, {{1, 1}, {near_e, near_e}, {1, 0}}, {1, 1}));
}

TEST(ReferencePredicates, AChoiceIsAsUncertainAsItsCondition) {
  const Graph graph = graph_of(
      "graph(i0: f32[2], i1: f32[2], i2: f32[2], i3: f32[2]) "
      "{ v0 = Exp(i0); v1 = Less(v0, i1); v2 = Where(v1, i2, i3); return v2 }");
  const double near_e = 2.7182819843292236;
  EXPECT_TRUE(passes(graph, {{1, 1}, {near_e, 3}, {5, 5}, {7, 7}}, {7, 5}));
  EXPECT_FALSE(passes(graph, {{1, 1}, {near_e, 3}, {5, 5}, {7, 7}}, {5, 7}));
}

}  // namespace
}  // namespace fuselab
