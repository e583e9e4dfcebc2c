// SPDX-License-Identifier: Apache-2.0
#include "app/gui/graph/graph_canvas.h"

#include <QKeyEvent>
#include <QMouseEvent>
#include <QToolTip>
#include <QWheelEvent>
#include <algorithm>
#include <cmath>

#include "app/gui/look/figures.h"

namespace fuselab::gui {
namespace {

constexpr double kMargin = 24;
constexpr double kSmallest = 0.05, kLargest = 3;
constexpr double kReadable = 0.6;  // showing all of a large model would show nothing: start at its top instead
constexpr double kEdgeReach = 6;

double distance_to(const QPointF& point, const QPointF& a, const QPointF& b) {
  const QPointF line = b - a;
  const double length = QPointF::dotProduct(line, line);
  const double share = length > 0 ? std::clamp(QPointF::dotProduct(point - a, line) / length, 0.0, 1.0) : 0.0;
  const QPointF offset = point - (a + share * line);
  return std::sqrt(QPointF::dotProduct(offset, offset));
}

}  // namespace

GraphCanvas::GraphCanvas(QWidget* parent) : QWidget(parent) {
  setMouseTracking(true);
  setFocusPolicy(Qt::StrongFocus);
  setAttribute(Qt::WA_OpaquePaintEvent);
  setMinimumSize(240, 200);
  setAccessibleName(tr("Graph of the model"));
  setAccessibleDescription(
      tr("Arrow keys walk from operator to operator, with Shift to a second one to compare it with; Enter opens the fused "
         "piece on the Compare page."));
}

void GraphCanvas::set_graph(PlacedGraphPtr graph) {
  graph_ = std::move(graph);
  marks_ = GraphMarks();
  show_all();
}

QRectF GraphCanvas::graph_area() const {
  const double legend = graph_ == nullptr ? 0 : graph_legend_height(*graph_, font(), width());
  return QRectF(rect()).adjusted(0, 0, 0, -legend);
}

void GraphCanvas::show_all() {
  fitted_ = true;
  if (graph_ != nullptr && !graph_->layout.nodes.empty()) {
    const QRectF bounds = graph_->layout.bounds.adjusted(-kMargin, -kMargin, kMargin, kMargin);
    const double room = graph_area().height();
    const double whole = std::min(width() / bounds.width(), room / bounds.height());
    zoom_ = std::clamp(std::max(whole, std::min(kReadable, width() / bounds.width())), kSmallest, 1.2);
    const double shown_height = room / zoom_;
    const double top = shown_height >= bounds.height() ? bounds.center().y() - shown_height / 2 : bounds.top();
    origin_ = QPointF(bounds.center().x() - width() / zoom_ / 2, top);
  }
  update();
}

void GraphCanvas::zoom(double factor, const QPointF& pixel) {
  fitted_ = false;
  const QPointF fixed = to_graph(pixel);
  zoom_ = std::clamp(zoom_ * factor, kSmallest, kLargest);
  origin_ = fixed - pixel / zoom_;
  update();
}

void GraphCanvas::select(int node) {
  marks_.selected = node;
  marks_.second = -1;
  if (graph_ != nullptr && node >= 0) {
    bring_into_view(graph_->layout.nodes[static_cast<std::size_t>(node)]);
    setAccessibleDescription(describe_node(node));
  }
  update();
  emit node_selected(node);
}

void GraphCanvas::select_second(int node) {
  if (graph_ == nullptr || marks_.selected < 0 || node < 0 || node == marks_.selected) return select(marks_.selected);
  marks_.second = node;
  bring_into_view(graph_->layout.nodes[static_cast<std::size_t>(node)]);
  update();
  emit pair_selected(marks_.selected, node);
}

void GraphCanvas::bring_into_view(const QRectF& box) {
  const QRectF visible(origin_, graph_area().size() / zoom_);
  if (visible.adjusted(20, 20, -20, -20).contains(box)) return;
  fitted_ = false;
  origin_ = box.center() - QPointF(width(), graph_area().height()) / zoom_ / 2;
}

void GraphCanvas::search(const QString& text) {
  marks_.found.clear();
  if (graph_ != nullptr && !text.isEmpty()) {
    for (const engine::GraphNodeView& node : graph_->view.nodes) {
      const bool matches = text_of(node.label).contains(text, Qt::CaseInsensitive) ||
                           text_of(node.detail).contains(text, Qt::CaseInsensitive) ||
                           text_of(node.id).contains(text, Qt::CaseInsensitive);
      marks_.found.push_back(matches);
    }
  }
  update();
}

int GraphCanvas::next_match() {
  const int count = static_cast<int>(marks_.found.size());
  for (int step = 1; step <= count; ++step) {
    const int node = (marks_.selected + step + count) % count;
    if (!marks_.found[static_cast<std::size_t>(node)]) continue;
    select(node);
    return node;
  }
  return -1;
}

QString GraphCanvas::describe_node(int node) const {
  const engine::GraphNodeView& shown = graph_->view.nodes[static_cast<std::size_t>(node)];
  QString text = text_of(shown.label);
  if (!shown.detail.empty()) text += QLatin1Char('\n') + text_of(shown.detail);
  if (shown.group >= 0) {
    const engine::GraphGroupView& group = graph_->view.groups[static_cast<std::size_t>(shown.group)];
    text += QLatin1Char('\n') + tr("Fused piece: %1 (%2)").arg(text_of(group.name), text_of(group.pattern));
    const QString cost = cost_text(*graph_, shown.group);
    if (!cost.isEmpty()) text += QLatin1Char('\n') + cost;
  }
  return text;
}

QString GraphCanvas::describe_edge(int edge) const {
  const engine::GraphEdgeView& shown = graph_->view.edges[static_cast<std::size_t>(edge)];
  const auto name = [this](int node) { return text_of(graph_->view.nodes[static_cast<std::size_t>(node)].label); };
  QString text = QStringLiteral("%1 → %2\n%3").arg(name(shown.from), name(shown.to), text_of(shown.type));
  if (!shown.rejected.empty()) text += QLatin1Char('\n') + tr("Not fused: %1").arg(text_of(shown.rejected));
  return text;
}

bool GraphCanvas::event(QEvent* event) {
  if (event->type() == QEvent::PaletteChange) update();
  return QWidget::event(event);
}

void GraphCanvas::paintEvent(QPaintEvent* /*event*/) {
  QPainter painter(this);
  const ThemeColors& colors = colors_for(this);
  painter.fillRect(rect(), colors.surface);
  if (graph_ == nullptr) return;
  painter.save();
  painter.setClipRect(graph_area());
  painter.scale(zoom_, zoom_);
  painter.translate(-origin_);
  paint_graph(painter, *graph_, marks_, colors, QRectF(origin_, QSizeF(size()) / zoom_), zoom_);
  painter.restore();
  painter.setRenderHint(QPainter::Antialiasing);
  paint_graph_legend(painter, *graph_, colors, QRectF(rect()).adjusted(0, graph_area().height(), 0, 0));
  painter.setBrush(Qt::NoBrush);
  painter.setPen(QPen(hasFocus() ? colors.accent : colors.border, 1));
  painter.drawRect(QRectF(rect()).adjusted(0.5, 0.5, -0.5, -0.5));
}

void GraphCanvas::resizeEvent(QResizeEvent* /*event*/) {
  if (fitted_) show_all();
}

void GraphCanvas::wheelEvent(QWheelEvent* event) {
  zoom(std::pow(1.2, event->angleDelta().y() / 120.0), event->position());
  event->accept();
}

void GraphCanvas::mousePressEvent(QMouseEvent* event) {
  if (event->button() == Qt::RightButton && graph_ != nullptr) {
    if (const int node = node_at(to_graph(event->position())); node >= 0) select(node);  // the menu is about it
  }
  if (event->button() != Qt::LeftButton) return;
  press_at_ = event->position();
  drag_from_ = press_at_;
}

void GraphCanvas::mouseMoveEvent(QMouseEvent* event) {
  if (drag_from_) {
    if ((event->position() - press_at_).manhattanLength() < 4) return;
    fitted_ = false;
    origin_ -= (event->position() - *drag_from_) / zoom_;
    drag_from_ = event->position();
    update();
    return;
  }
  const QPointF at = to_graph(event->position());
  const int node = node_at(at);
  const int edge = node >= 0 ? -1 : edge_at(at);
  if (node == marks_.hovered_node && edge == marks_.hovered_edge) return;
  marks_.hovered_node = node;
  marks_.hovered_edge = edge;
  const QString text = node >= 0 ? describe_node(node) : edge >= 0 ? describe_edge(edge) : QString();
  if (text.isEmpty()) {
    QToolTip::hideText();
  } else {
    QToolTip::showText(event->globalPosition().toPoint(), text, this);
  }
  update();
}

void GraphCanvas::mouseReleaseEvent(QMouseEvent* event) {
  const bool click = drag_from_ && (event->position() - press_at_).manhattanLength() < 4;
  drag_from_.reset();
  if (!click) return;
  const int node = node_at(to_graph(event->position()));
  if (event->modifiers().testFlag(Qt::ShiftModifier)) {
    select_second(node);
  } else {
    select(node);
  }
}

void GraphCanvas::mouseDoubleClickEvent(QMouseEvent* event) {
  open_group(node_at(to_graph(event->position())));
}

void GraphCanvas::leaveEvent(QEvent* /*event*/) {
  marks_.hovered_node = marks_.hovered_edge = -1;
  update();
}

void GraphCanvas::keyPressEvent(QKeyEvent* event) {
  switch (event->key()) {
    case Qt::Key_Up:
    case Qt::Key_Down:
    case Qt::Key_Left:
    case Qt::Key_Right: return step(event->key(), event->modifiers().testFlag(Qt::ShiftModifier));
    case Qt::Key_Plus:
    case Qt::Key_Equal: return zoom(1.25, rect().center());
    case Qt::Key_Minus: return zoom(0.8, rect().center());
    case Qt::Key_Home:
    case Qt::Key_0: return show_all();
    case Qt::Key_Return:
    case Qt::Key_Enter: return open_group(marks_.selected);
    default: QWidget::keyPressEvent(event);
  }
}

// Up and down follow edges, left and right stay in the layer.
std::optional<int> GraphCanvas::neighbour(int node, int key) const {
  if (key == Qt::Key_Up || key == Qt::Key_Down) {
    for (const engine::GraphEdgeView& edge : graph_->view.edges) {
      if (key == Qt::Key_Down && edge.from == node) return edge.to;
      if (key == Qt::Key_Up && edge.to == node) return edge.from;
    }
    return std::nullopt;
  }
  const auto& layer = graph_->layout.layer_nodes[static_cast<std::size_t>(graph_->layout.layers[static_cast<std::size_t>(node)])];
  const auto place = std::find(layer.begin(), layer.end(), node);
  if (key == Qt::Key_Left && place != layer.begin()) return *(place - 1);
  if (key == Qt::Key_Right && place + 1 != layer.end()) return *(place + 1);
  return std::nullopt;
}

void GraphCanvas::step(int key, bool of_second) {
  if (graph_ == nullptr || graph_->layout.nodes.empty()) return;
  if (marks_.selected < 0) return select(graph_->layout.layer_nodes.front().front());
  const bool from_second = of_second && marks_.second >= 0;
  const auto next = neighbour(from_second ? marks_.second : marks_.selected, key);
  if (!next) return;
  if (of_second) {
    select_second(*next);
  } else {
    select(*next);
  }
}

int GraphCanvas::node_at(const QPointF& at) const {
  if (graph_ == nullptr) return -1;
  const auto layer = static_cast<std::ptrdiff_t>(std::floor(at.y() / (kNodeHeight + kLayerGap)));
  if (layer < 0 || layer >= static_cast<std::ptrdiff_t>(graph_->layout.layer_nodes.size())) return -1;
  for (int node : graph_->layout.layer_nodes[static_cast<std::size_t>(layer)]) {
    if (graph_->layout.nodes[static_cast<std::size_t>(node)].contains(at)) return node;
  }
  return -1;
}

int GraphCanvas::edge_at(const QPointF& at) const {
  if (graph_ == nullptr) return -1;
  const double reach = kEdgeReach / zoom_;
  for (std::size_t edge = 0; edge < graph_->layout.edges.size(); ++edge) {
    const QPolygonF& line = graph_->layout.edges[edge];
    if (!line.boundingRect().adjusted(-reach, -reach, reach, reach).contains(at)) continue;
    for (qsizetype i = 1; i < line.size(); ++i) {
      if (distance_to(at, line[i - 1], line[i]) < reach) return static_cast<int>(edge);
    }
  }
  return -1;
}

void GraphCanvas::open_group(int node) {
  if (graph_ == nullptr || node < 0) return;
  const int group = graph_->view.nodes[static_cast<std::size_t>(node)].group;
  if (group >= 0) emit group_opened(text_of(graph_->view.groups[static_cast<std::size_t>(group)].piece_key));
}

}  // namespace fuselab::gui
