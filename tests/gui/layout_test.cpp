// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <QTest>

#include "app/gui/graph/graph_canvas.h"
#include "app/gui/graph/layered_layout.h"
#include "tests/gui/support/canned.h"

namespace fuselab::gui::test {
namespace {

TEST(LayeredLayout, PutsEveryConsumerBelowItsProducer) {
  const PlacedGraphPtr graph = place_graph(canned_graph(16));
  for (const engine::GraphEdgeView& edge : graph->view.edges) {
    EXPECT_LT(graph->layout.nodes[static_cast<std::size_t>(edge.from)].bottom(),
              graph->layout.nodes[static_cast<std::size_t>(edge.to)].top());
  }
}

TEST(LayeredLayout, NeverLetsNodesOfALayerOverlap) {
  LayoutInput input;
  input.widths.assign(60, 80);
  for (int node = 1; node < 60; ++node) input.edges.emplace_back((node - 1) / 4, node);
  const GraphLayout layout = layered_layout(input);
  for (const auto& layer : layout.layer_nodes) {
    for (std::size_t i = 1; i < layer.size(); ++i) {
      EXPECT_LE(layout.nodes[static_cast<std::size_t>(layer[i - 1])].right(),
                layout.nodes[static_cast<std::size_t>(layer[i])].left());
    }
  }
}

TEST(LayeredLayout, DrawsATreeWithoutCrossings) {
  // Children listed against the order of their parents: the barycentres must untangle them.
  LayoutInput input;
  input.widths.assign(7, 60);
  input.edges = {{0, 1}, {0, 2}, {2, 3}, {1, 4}, {2, 5}, {1, 6}};
  const GraphLayout layout = layered_layout(input);
  const auto x = [&layout](int node) { return layout.nodes[static_cast<std::size_t>(node)].center().x(); };
  const bool left = x(1) < x(2);
  for (int child : {4, 6}) {
    for (int other : {3, 5}) EXPECT_EQ(x(child) < x(other), left);
  }
}

TEST(LayeredLayout, IsDeterministicAndSurvivesCyclesAndNothing) {
  LayoutInput input;
  input.widths = {50, 50, 50};
  input.edges = {{0, 1}, {1, 2}, {2, 0}};
  EXPECT_EQ(layered_layout(input).nodes, layered_layout(input).nodes);
  EXPECT_EQ(layered_layout(input).edges.size(), 3u);
  EXPECT_TRUE(layered_layout({}).nodes.empty());
}

TEST(PlaceGraph, CapsWhatIsDrawnAndSaysHowMuchIsLeftOut) {
  const engine::GraphView view = canned_graph(700);
  ASSERT_GT(view.nodes.size(), kDrawnNodes);
  const PlacedGraphPtr graph = place_graph(view);
  EXPECT_EQ(graph->view.nodes.size(), kDrawnNodes);
  EXPECT_EQ(graph->left_out, view.nodes.size() - kDrawnNodes);
}

TEST(GraphCanvas, WalksAlongEdgesByKeyboardAndOpensThePiece) {
  GraphCanvas canvas;
  canvas.resize(600, 500);
  canvas.set_graph(place_graph(canned_graph(2)));
  canvas.show();
  QString opened;
  QObject::connect(&canvas, &GraphCanvas::group_opened, [&opened](const QString& key) { opened = key; });
  QTest::keyClick(&canvas, Qt::Key_Down);
  EXPECT_EQ(canvas.selected(), 0);
  QTest::keyClick(&canvas, Qt::Key_Down);
  EXPECT_EQ(canvas.selected(), 1);
  QTest::keyClick(&canvas, Qt::Key_Up);
  EXPECT_EQ(canvas.selected(), 0);
  QTest::keyClick(&canvas, Qt::Key_Return);
  EXPECT_EQ(opened.toStdString(), canned_graph(2).groups.front().piece_key);
}

TEST(GraphCanvas, ShiftSelectsASecondOperatorBesideTheFirst) {
  GraphCanvas canvas;
  canvas.resize(600, 500);
  canvas.set_graph(place_graph(canned_graph(2)));
  canvas.show();
  std::pair<int, int> pair{-1, -1};
  QObject::connect(&canvas, &GraphCanvas::pair_selected, [&pair](int first, int second) { pair = {first, second}; });
  QTest::keyClick(&canvas, Qt::Key_Down);
  QTest::keyClick(&canvas, Qt::Key_Down, Qt::ShiftModifier);
  EXPECT_EQ(pair, std::make_pair(0, 1));
  QTest::keyClick(&canvas, Qt::Key_Down, Qt::ShiftModifier);
  EXPECT_EQ(pair, std::make_pair(0, 2)) << "the second one walks on, the first stays";
  EXPECT_EQ(canvas.selected(), 0);
  QTest::keyClick(&canvas, Qt::Key_Down);
  EXPECT_EQ(canvas.second(), -1) << "without Shift there is one again";
  canvas.select_second(canvas.selected());
  EXPECT_EQ(canvas.second(), -1);
}

TEST(GraphCanvas, KeepsTheLegendOffTheOperators) {
  GraphCanvas canvas;
  canvas.resize(300, 260);
  canvas.set_graph(place_graph(canned_graph(2)));
  canvas.show();
  const QRectF free = canvas.graph_area();
  EXPECT_LT(free.height(), canvas.height() - 20) << "the legend has a strip of its own";
  EXPECT_GT(free.height(), canvas.height() / 2) << "and leaves most of the canvas";
  // The legend is painted last: below the graph's area nothing but its ground and its entries may be seen.
  const int last = static_cast<int>(canvas.graph()->view.nodes.size()) - 1;
  canvas.select(last);
  const QImage image = canvas.grab().toImage();
  const QColor ground = colors_for(&canvas).raised;
  EXPECT_EQ(image.pixelColor(image.width() - 3, image.height() - 3), ground);
  EXPECT_GT(graph_legend_height(*canvas.graph(), canvas.font(), 120), graph_legend_height(*canvas.graph(), canvas.font(), 900));
}

TEST(GraphCanvas, SaysWhyTwoOperatorsWereKeptApart) {
  GraphCanvas canvas;
  canvas.set_graph(place_graph(canned_graph(1)));
  EXPECT_TRUE(canvas.describe_edge(0).contains("Not fused: Conv reads all channels"));
  EXPECT_FALSE(canvas.describe_edge(1).contains("Not fused"));
  EXPECT_TRUE(canvas.describe_node(0).contains("ConvBatchNorm"));
}

TEST(GraphCanvas, SearchGoesFromMatchToMatch) {
  GraphCanvas canvas;
  canvas.set_graph(place_graph(canned_graph(2)));
  canvas.search("add");
  const int first = canvas.next_match(), second = canvas.next_match();
  EXPECT_EQ(canvas.graph()->view.nodes[static_cast<std::size_t>(first)].label, "Add");
  EXPECT_GT(second, first);
  EXPECT_EQ(canvas.next_match(), first) << "after the last match comes the first";
  canvas.search("no such operator");
  EXPECT_EQ(canvas.next_match(), -1);
}

}  // namespace
}  // namespace fuselab::gui::test
