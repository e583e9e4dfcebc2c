// SPDX-License-Identifier: Apache-2.0
#include "app/engine/execute/execution_graph.h"

#include <gmock/gmock.h>

#include <set>

#include "core/graph/graph_text.h"

namespace fuselab::engine {
namespace {

Result<ExecutionGraph> graph_of(const std::string& text, OptimizationLevel level = OptimizationLevel::kO2) {
  Subject subject;
  subject.name = "test";
  FL_TRY(subject.graph, parse_graph(text));
  FL_TRY(FusedModel fused_model, cut(std::move(subject), level));
  return execution_graph(std::move(fused_model));
}

// Every use reads what the graph is given or an earlier use made.
void expect_runnable(const ExecutionGraph& graph) {
  std::set<ValueId> made(graph.inputs.begin(), graph.inputs.end());
  for (const PieceUse& use : graph.uses) {
    const Graph& piece = graph.fused_model.pieces[use.piece].operation.graph;
    ASSERT_EQ(use.inputs.size(), piece.inputs().size()) << use.name;
    ASSERT_EQ(use.outputs.size(), piece.outputs().size()) << use.name;
    for (std::size_t i = 0; i < use.inputs.size(); ++i) {
      EXPECT_TRUE(made.count(use.inputs[i])) << use.name;
      EXPECT_EQ(element_count(graph.whole().type(use.inputs[i]).shape).value(),
                element_count(piece.type(piece.inputs()[i]).shape).value());
    }
    made.insert(use.outputs.begin(), use.outputs.end());
  }
  for (const ValueId output : graph.outputs) EXPECT_TRUE(made.count(output));
}

TEST(ExecutionGraph, OperandsKeepTheirPlacesWhateverTheOrderOfThePiecesInputs) {
  const auto graph = graph_of(
      "graph(i0: f32[4,8], i1: f32[4,8], p0: param f32[8]) { v0 = Mul(i1, p0); v1 = Sub(v0, i0); v2 = Relu(v1); return v2 }");
  ASSERT_TRUE(graph.ok()) << graph.error().message;
  ASSERT_EQ(graph.value().uses.size(), 1U);
  expect_runnable(graph.value());
  const Graph& whole = graph.value().whole();
  const Graph& piece = graph.value().fused_model.pieces[0].operation.graph;
  for (std::size_t i = 0; i < piece.inputs().size(); ++i) {
    const ValueId outer = graph.value().uses[0].inputs[i];
    EXPECT_EQ(whole.value(outer).origin, piece.value(piece.inputs()[i]).origin);
    EXPECT_EQ(whole.node(whole.consumers(outer).at(0)).op, piece.node(piece.consumers(piece.inputs()[i]).at(0)).op);
  }
}

TEST(ExecutionGraph, EqualPiecesAreOnePieceUsedTwice) {
  const auto graph = graph_of("graph(i0: f32[4,8]) { v0 = Relu(i0); v1 = Softmax(v0); v2 = Relu(v1); v3 = Softmax(v2); return v3 }",
                              OptimizationLevel::kO0);
  ASSERT_TRUE(graph.ok()) << graph.error().message;
  EXPECT_EQ(graph.value().fused_model.pieces.size(), 2U);
  EXPECT_EQ(graph.value().uses.size(), 4U);
  expect_runnable(graph.value());
}

TEST(ExecutionGraph, AViewThatNobodyRunsIsTheTensorItself) {
  const auto graph = graph_of(
      "graph(i0: f32[4,8]) { v0 = Softmax(i0); v1 = Reshape(v0, shape=[8,4]); v2 = Softmax(v1); v3 = Reshape(v2, shape=[32]); "
      "return v3 }",
      OptimizationLevel::kO0);
  ASSERT_TRUE(graph.ok()) << graph.error().message;
  EXPECT_EQ(graph.value().uses.size(), 2U);
  expect_runnable(graph.value());
}

TEST(ExecutionGraph, ABarrierIsNamed) {
  const auto graph = graph_of("graph(i0: f32[4]) { v0: f32[4] = Opaque:Mystery(i0); v1 = Relu(v0); return v1 }");
  ASSERT_FALSE(graph.ok());
  EXPECT_EQ(graph.error().code, ErrorCode::kUnsupported);
  EXPECT_THAT(graph.error().message, testing::HasSubstr("cannot be run: a barrier"));
}

}  // namespace
}  // namespace fuselab::engine
