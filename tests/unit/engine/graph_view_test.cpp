// SPDX-License-Identifier: Apache-2.0
// What the graph page is told of a graph.
#include "app/engine/subject/graph_view.h"

#include <gtest/gtest.h>

#include "core/fusion/explain/why_not.h"
#include "core/graph/graph_text.h"

namespace fuselab::engine {
namespace {

GraphView view_of(const std::string& text) {
  Subject subject;
  subject.name = "typed";
  subject.graph = parse_graph(text).value();
  return view_graph(cut(std::move(subject), OptimizationLevel::kO2).value());
}

bool says(const GraphNodeView& node, const std::string& line) {
  return (node.detail + "\n").find("\n" + line + "\n") != std::string::npos;
}

TEST(GraphViewDetail, NamesTheValuesOfShortLists) {
  const GraphView view =
      view_of("graph(x: f32[1,3,8,8], w: param f32[4,3,3,3]) { y = Conv(x, w, pads=[1, 1, 1, 1], strides=[2, 2]); return y }");
  ASSERT_EQ(view.nodes.size(), 1U);
  EXPECT_TRUE(says(view.nodes[0], "strides = [2, 2]")) << view.nodes[0].detail;
  EXPECT_TRUE(says(view.nodes[0], "pads = [1, 1, 1, 1]")) << view.nodes[0].detail;
}

TEST(GraphViewDetail, PrintsRealsAsTheyAre) {
  const GraphView view = view_of("graph(x: f32[4,8], s: param f32[8]) { y = RMSNormalization(x, s, epsilon=1e-12); return y }");
  ASSERT_EQ(view.nodes.size(), 1U);
  EXPECT_TRUE(says(view.nodes[0], "epsilon = 1e-12")) << view.nodes[0].detail;
}

TEST(GraphViewPairs, AreToldInTheParagraphOfFuseWhy) {
  const GraphView view =
      view_of("graph(x: f32[8,64], w: param f32[64,64]) { a = Relu(x); b = Exp(a); m = MatMul(b, w); return m }");
  ASSERT_EQ(view.nodes.size(), 3U);
  const auto expected = why_not_fused(*view.fusion, "a", "m");
  ASSERT_TRUE(expected.ok());
  EXPECT_EQ(why_apart(view, 0, 2), expected.value().text);
  EXPECT_NE(why_apart(view, 0, 1).find("are fused"), std::string::npos);
  EXPECT_EQ(why_apart(view, 1, 1), "");
  EXPECT_EQ(why_apart(GraphView(), 0, 1), "");
}

}  // namespace
}  // namespace fuselab::engine
