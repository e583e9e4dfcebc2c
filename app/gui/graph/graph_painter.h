// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QPainter>
#include <memory>
#include <vector>

#include "app/gui/graph/layered_layout.h"
#include "app/gui/look/theme.h"
#include "app/views/snapshots.h"

namespace fuselab::gui {

// A graph with the places of its nodes and edges. Immutable; made on a worker thread.
struct PlacedGraph {
  engine::GraphView view;
  GraphLayout layout;
  std::vector<std::string> patterns;          // distinct, in order of appearance; the index is the colour
  std::vector<std::vector<int>> group_nodes;  // nodes of each group
  std::vector<Cost> costs;                    // of each group; empty when not known
  std::size_t left_out = 0;                   // nodes beyond the cap
};
using PlacedGraphPtr = std::shared_ptr<const PlacedGraph>;

inline constexpr std::size_t kDrawnNodes = 5000;

// Keeps the first kDrawnNodes nodes and lays them out.
PlacedGraphPtr place_graph(engine::GraphView view, std::vector<Cost> costs = {});
// Returns the cost of a group, one fact a line; empty when not known.
QString cost_text(const PlacedGraph& graph, int group);
int pattern_color(const PlacedGraph& graph, int group);

struct GraphMarks {
  int selected = -1;  // node
  int second = -1;    // the node it is compared with
  int hovered_node = -1, hovered_edge = -1;
  std::vector<bool> found;  // nodes that match the search; empty: no search
};

// Draws the part in `visible` (graph coordinates); the painter is already scaled by `zoom`.
void paint_graph(QPainter& painter, const PlacedGraph& graph, const GraphMarks& marks, const ThemeColors& colors,
                 const QRectF& visible, double zoom);
// Returns the height of the legend in a canvas of this width (pixels). The legend has a strip of its own, so that it hides no
// operator.
double graph_legend_height(const PlacedGraph& graph, const QFont& font, double width);
// Draws the meaning of the colours and the dashes into that strip.
void paint_graph_legend(QPainter& painter, const PlacedGraph& graph, const ThemeColors& colors, const QRectF& area);

}  // namespace fuselab::gui
