// SPDX-License-Identifier: Apache-2.0
#include "app/gui/graph/graph_painter.h"

#include <QFontMetricsF>
#include <QPainterPath>
#include <algorithm>

#include "app/gui/look/figures.h"
#include "app/gui/models/piece_model.h"
#include "core/base/units.h"

namespace fuselab::gui {
namespace {

constexpr double kGroupPadding = 9;  // of a group around its nodes
constexpr double kTextZoom = 0.45;   // smaller text would not be read
constexpr double kCorner = 7;

QColor mix(const QColor& a, const QColor& b, double share) {
  return QColor::fromRgbF(static_cast<float>(a.redF() * share + b.redF() * (1 - share)),
                          static_cast<float>(a.greenF() * share + b.greenF() * (1 - share)),
                          static_cast<float>(a.blueF() * share + b.blueF() * (1 - share)));
}

QPainterPath edge_path(const QPolygonF& line) {
  QPainterPath path(line.first());
  for (qsizetype i = 1; i < line.size(); ++i) {
    const QPointF a = line[i - 1], b = line[i];
    const double middle = (a.y() + b.y()) / 2;
    path.cubicTo(QPointF(a.x(), middle), QPointF(b.x(), middle), b);
  }
  return path;
}

// A group is the union of boxes around its nodes and of the ways between them, so it never covers a stranger. Drawn twice:
// first wider in the line colour, then in the fill colour; what stays of the first is the outline.
void paint_group_layer(QPainter& painter, const PlacedGraph& graph, const QRectF& visible, const ThemeColors& colors,
                       bool outline) {
  for (std::size_t group = 0; group < graph.group_nodes.size(); ++group) {
    if (graph.group_nodes[group].size() < 2) continue;
    const QColor line = colors.series_color(pattern_color(graph, static_cast<int>(group)));
    painter.setPen(Qt::NoPen);
    painter.setBrush(outline ? mix(line, colors.surface, 0.75) : mix(line, colors.surface, 0.16));
    const double padding = kGroupPadding + (outline ? 1.5 : 0);
    for (int node : graph.group_nodes[group]) {
      const QRectF box = graph.layout.nodes[static_cast<std::size_t>(node)].adjusted(-padding, -padding, padding, padding);
      if (box.intersects(visible)) painter.drawRoundedRect(box, kCorner + 3, kCorner + 3);
    }
  }
  painter.setBrush(Qt::NoBrush);
  for (std::size_t edge = 0; edge < graph.view.edges.size(); ++edge) {
    const engine::GraphEdgeView& shown = graph.view.edges[edge];
    const int group = graph.view.nodes[static_cast<std::size_t>(shown.from)].group;
    if (group < 0 || group != graph.view.nodes[static_cast<std::size_t>(shown.to)].group) continue;
    if (!graph.layout.edges[edge].boundingRect().adjusted(-40, -40, 40, 40).intersects(visible)) continue;
    const QColor line = colors.series_color(pattern_color(graph, group));
    painter.setPen(QPen(outline ? mix(line, colors.surface, 0.75) : mix(line, colors.surface, 0.16), outline ? 31 : 28,
                        Qt::SolidLine, Qt::RoundCap));
    painter.drawPath(edge_path(graph.layout.edges[edge]));
  }
}

void paint_edges(QPainter& painter, const PlacedGraph& graph, const GraphMarks& marks, const ThemeColors& colors,
                 const QRectF& visible) {
  painter.setBrush(Qt::NoBrush);
  for (std::size_t edge = 0; edge < graph.view.edges.size(); ++edge) {
    const QPolygonF& line = graph.layout.edges[edge];
    if (!line.boundingRect().adjusted(-20, -4, 20, 4).intersects(visible)) continue;
    const engine::GraphEdgeView& shown = graph.view.edges[edge];
    const bool hovered = static_cast<int>(edge) == marks.hovered_edge;
    const bool touches = marks.selected >= 0 && (shown.from == marks.selected || shown.to == marks.selected);
    const bool apart = !shown.rejected.empty();
    const QColor color = hovered || touches ? colors.accent : apart ? colors.bad : colors.muted;
    painter.setPen(QPen(color, hovered || touches ? 2.4 : 1.3, apart ? Qt::DashLine : Qt::SolidLine));
    painter.drawPath(edge_path(line));
    const QPointF tip = line.last();
    painter.setBrush(color);
    painter.drawPolygon(QPolygonF({tip, tip + QPointF(-3.5, -6), tip + QPointF(3.5, -6)}));
    painter.setBrush(Qt::NoBrush);
  }
}

void paint_node(QPainter& painter, const PlacedGraph& graph, int node, const GraphMarks& marks, const ThemeColors& colors,
                double zoom) {
  const auto index = static_cast<std::size_t>(node);
  const engine::GraphNodeView& shown = graph.view.nodes[index];
  const QRectF& box = graph.layout.nodes[index];
  const bool found = !marks.found.empty() && marks.found[index];
  const bool dimmed = !marks.found.empty() && !found;
  const QColor line = shown.group >= 0 ? colors.series_color(pattern_color(graph, shown.group)) : colors.muted;
  painter.setBrush(colors.raised);
  const bool selected = node == marks.selected || node == marks.second;
  painter.setPen(QPen(selected ? colors.accent : found ? colors.warning : line, selected || found ? 3 : 1.4));
  painter.drawRoundedRect(box, kCorner, kCorner);
  if (node == marks.hovered_node) {
    painter.setPen(QPen(colors.text, 1.4));
    painter.drawRoundedRect(box.adjusted(-2, -2, 2, 2), kCorner, kCorner);
  }
  if (zoom < kTextZoom) return;
  painter.setPen(dimmed ? colors.muted : colors.text);
  painter.drawText(box.adjusted(4, 0, -4, 0), Qt::AlignCenter, text_of(shown.label));
}

}  // namespace

PlacedGraphPtr place_graph(engine::GraphView view, std::vector<Cost> costs) {
  auto graph = std::make_shared<PlacedGraph>();
  graph->costs = std::move(costs);
  if (view.nodes.size() > kDrawnNodes) {
    graph->left_out = view.nodes.size() - kDrawnNodes;
    view.nodes.resize(kDrawnNodes);
    const auto cap = static_cast<int>(kDrawnNodes);
    std::erase_if(view.edges, [cap](const engine::GraphEdgeView& edge) { return edge.from >= cap || edge.to >= cap; });
  }
  LayoutInput input;
  constexpr double kCharacter = 8.2, kLeast = 64;
  graph->group_nodes.resize(view.groups.size());
  for (std::size_t node = 0; node < view.nodes.size(); ++node) {
    input.widths.push_back(std::max(kLeast, 20 + kCharacter * static_cast<double>(view.nodes[node].label.size())));
    if (view.nodes[node].group >= 0)
      graph->group_nodes[static_cast<std::size_t>(view.nodes[node].group)].push_back(static_cast<int>(node));
  }
  for (const engine::GraphEdgeView& edge : view.edges) input.edges.emplace_back(edge.from, edge.to);
  for (const engine::GraphGroupView& group : view.groups) {
    if (std::find(graph->patterns.begin(), graph->patterns.end(), group.pattern) == graph->patterns.end())
      graph->patterns.push_back(group.pattern);
  }
  graph->layout = layered_layout(input);
  graph->view = std::move(view);
  return graph;
}

QString cost_text(const PlacedGraph& graph, int group) {
  const auto index = static_cast<std::size_t>(group);
  if (index >= graph.costs.size() || graph.costs[index].ideal().count <= 0) return {};
  const Cost& cost = graph.costs[index];
  const auto tr = [](const char* text) { return QCoreApplication::translate("fuselab::gui::graph", text); };
  QString text = tr("Ideal traffic: %1 (%2 unfused)").arg(text_of(format_bytes(cost.ideal())), text_of(format_bytes(cost.eager())));
  text += QLatin1Char('\n') + tr("Arithmetic: %1").arg(flops_text(cost.flops));
  return text + QLatin1Char('\n') + tr("Intensity: %1").arg(intensity_text(cost));
}

int pattern_color(const PlacedGraph& graph, int group) {
  const std::string& pattern = graph.view.groups[static_cast<std::size_t>(group)].pattern;
  return static_cast<int>(std::find(graph.patterns.begin(), graph.patterns.end(), pattern) - graph.patterns.begin());
}

void paint_graph(QPainter& painter, const PlacedGraph& graph, const GraphMarks& marks, const ThemeColors& colors,
                 const QRectF& visible, double zoom) {
  painter.setRenderHint(QPainter::Antialiasing);
  paint_group_layer(painter, graph, visible, colors, true);
  paint_group_layer(painter, graph, visible, colors, false);
  paint_edges(painter, graph, marks, colors, visible);
  for (const auto& layer : graph.layout.layer_nodes) {
    if (layer.empty()) continue;
    const QRectF& first = graph.layout.nodes[static_cast<std::size_t>(layer.front())];
    if (first.bottom() < visible.top() - kNodeHeight || first.top() > visible.bottom() + kNodeHeight) continue;
    for (int node : layer) {
      if (graph.layout.nodes[static_cast<std::size_t>(node)].intersects(visible))
        paint_node(painter, graph, node, marks, colors, zoom);
    }
  }
}

namespace {

constexpr double kSwatch = 16, kLegendEdge = 8, kLegendGap = 16;

struct LegendEntry {
  QString text;
  QColor color;
  bool dashed;
  QPointF at;  // top left, relative to the legend's
};

struct Legend {
  std::vector<LegendEntry> entries;
  double row = 0, height = 0;
};

// From left to right in as many rows as it takes.
Legend lay_out_legend(const PlacedGraph& graph, const ThemeColors& colors, const QFontMetricsF& metrics, double width) {
  Legend legend;
  for (std::size_t pattern = 0; pattern < graph.patterns.size(); ++pattern)
    legend.entries.push_back({text_of(graph.patterns[pattern]), colors.series_color(static_cast<int>(pattern)), false, {}});
  const bool apart = std::any_of(graph.view.edges.begin(), graph.view.edges.end(),
                                 [](const engine::GraphEdgeView& edge) { return !edge.rejected.empty(); });
  if (apart) {
    const QString text = QCoreApplication::translate("fuselab::gui::graph", "not fused: hover for the reason");
    legend.entries.push_back({text, colors.bad, true, {}});
  }
  if (legend.entries.empty()) return legend;
  legend.row = metrics.height() + 3;
  QPointF at(kLegendEdge, kLegendEdge / 2);
  for (LegendEntry& entry : legend.entries) {
    const double wide = kSwatch + kLegendEdge + metrics.horizontalAdvance(entry.text) + kLegendGap;
    if (at.x() > kLegendEdge && at.x() + wide > width) at = QPointF(kLegendEdge, at.y() + legend.row);
    entry.at = at;
    at.rx() += wide;
  }
  legend.height = at.y() + legend.row + kLegendEdge / 2;
  return legend;
}

}  // namespace

double graph_legend_height(const PlacedGraph& graph, const QFont& font, double width) {
  return lay_out_legend(graph, colors_of(false), QFontMetricsF(font), width).height;
}

void paint_graph_legend(QPainter& painter, const PlacedGraph& graph, const ThemeColors& colors, const QRectF& area) {
  const QFontMetricsF metrics(painter.font());
  const Legend legend = lay_out_legend(graph, colors, metrics, area.width());
  painter.fillRect(area, colors.raised);
  painter.setPen(QPen(colors.border, 1));
  painter.drawLine(area.topLeft(), area.topRight());
  for (const LegendEntry& entry : legend.entries) {
    const QPointF at = area.topLeft() + entry.at;
    painter.setPen(QPen(entry.color, 2, entry.dashed ? Qt::DashLine : Qt::SolidLine));
    painter.setBrush(entry.dashed ? QColor(Qt::transparent) : mix(entry.color, colors.surface, 0.16));
    const double middle = at.y() + legend.row / 2;
    if (entry.dashed) {
      painter.drawLine(QPointF(at.x(), middle), QPointF(at.x() + kSwatch, middle));
    } else {
      painter.drawRoundedRect(QRectF(at.x() + 1, middle - 5, kSwatch - 2, 10), 3, 3);
    }
    painter.setPen(colors.text);
    painter.drawText(QRectF(at.x() + kSwatch + kLegendEdge, at.y(), metrics.horizontalAdvance(entry.text) + 2, legend.row),
                     Qt::AlignVCenter | Qt::AlignLeft, entry.text);
  }
}

}  // namespace fuselab::gui
