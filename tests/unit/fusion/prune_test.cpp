// SPDX-License-Identifier: Apache-2.0
#include "core/fusion/fold/prune.h"

#include <gtest/gtest.h>

#include "core/graph/graph_text.h"

namespace fuselab {
namespace {

Graph parsed(const std::string& text) {
  auto graph = parse_graph(text);
  EXPECT_TRUE(graph.ok()) << (graph.ok() ? "" : graph.error().message);
  return std::move(graph).value();
}

TEST(Prune, LeavesOutWhatNoOutputNeeds) {
  const Graph graph = parsed(
      "graph(x: f32[8], w: param f32[8], u: param f32[8]) { a = Tanh(x); b = Mul(a, w); c = Add(b, u); d = Relu(a); return d }");
  const auto pruned = without_dead_operators(graph);
  ASSERT_TRUE(pruned);
  EXPECT_EQ(canonical_text(pruned->graph), canonical_text(parsed("graph(x: f32[8]) { a = Tanh(x); d = Relu(a); return d }")));
  EXPECT_EQ(left_out_text(graph, *pruned), "2 operators that no output needs were left out: Add, Mul");
  EXPECT_FALSE(without_dead_operators(pruned->graph));
}

TEST(Prune, KeepsInputsAndUnreadSecondResults) {
  const Graph graph = parsed("graph(x: f32[4,6], y: f32[2]) { a, b = Split(x, axis=1, split=[2,4]); return b }");
  EXPECT_FALSE(without_dead_operators(graph));
  const auto pruned = without_dead_operators(parsed("graph(x: f32[4], y: f32[2]) { a = Tanh(y); return x }"));
  ASSERT_TRUE(pruned);
  EXPECT_EQ(pruned->graph.inputs().size(), 2u);
  EXPECT_EQ(pruned->graph.nodes().size(), 0u);
}

}  // namespace
}  // namespace fuselab
