// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QPolygonF>
#include <QRectF>
#include <utility>
#include <vector>

namespace fuselab::gui {

// The input of a layout: nodes by width, edges from producer to consumer (indices), one height for all nodes.
struct LayoutInput {
  std::vector<double> widths;
  std::vector<std::pair<int, int>> edges;
};

// The result of a layout. Edges are polylines through the gaps between nodes.
struct GraphLayout {
  std::vector<QRectF> nodes;
  std::vector<int> layers;                    // of each node, 0 at the top
  std::vector<std::vector<int>> layer_nodes;  // nodes of each layer from left to right
  std::vector<QPolygonF> edges;               // one per input edge
  QRectF bounds;
};

inline constexpr double kNodeHeight = 30;
inline constexpr double kLayerGap = 44;
inline constexpr double kNodeGap = 30;

// A small layered drawing in the manner of Sugiyama: layers by longest path, order by barycentres, positions by least squares
// under minimum distances. Deterministic. Edges that would close a cycle are drawn but do not shape the layers.
GraphLayout layered_layout(const LayoutInput& input);

}  // namespace fuselab::gui
