// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QWidget>
#include <optional>

#include "app/gui/graph/graph_painter.h"

namespace fuselab::gui {

// Shows a graph and lets the user walk it. Wheel zooms, dragging moves, a click selects, with Shift a second node for comparison; a
// double click opens the group's row on Compare. Arrows (with Shift for the second node) go to producers, consumers and neighbours,
// + and - zoom, Home shows all, Enter opens. GUI thread.
class GraphCanvas : public QWidget {
  Q_OBJECT

 public:
  explicit GraphCanvas(QWidget* parent = nullptr);

  void set_graph(PlacedGraphPtr graph);
  const PlacedGraphPtr& graph() const { return graph_; }
  int selected() const { return marks_.selected; }
  void select(int node);  // and brings it into view
  int second() const { return marks_.second; }
  void select_second(int node);  // for comparison with the selected one; that one again, or -1, leaves only that one selected
  void search(const QString& text);
  int next_match();  // selects it; -1 when nothing matches
  void show_all();
  QString describe_node(int node) const;
  QString describe_edge(int edge) const;

  QRectF graph_area() const;  // all but the legend below it

  QSize sizeHint() const override { return {640, 480}; }

 signals:
  void node_selected(int node);
  void pair_selected(int first, int second);
  void group_opened(const QString& piece_key);

 protected:
  bool event(QEvent* event) override;
  void paintEvent(QPaintEvent* event) override;
  void resizeEvent(QResizeEvent* event) override;
  void wheelEvent(QWheelEvent* event) override;
  void mousePressEvent(QMouseEvent* event) override;
  void mouseMoveEvent(QMouseEvent* event) override;
  void mouseReleaseEvent(QMouseEvent* event) override;
  void mouseDoubleClickEvent(QMouseEvent* event) override;
  void leaveEvent(QEvent* event) override;
  void keyPressEvent(QKeyEvent* event) override;

 private:
  QPointF to_graph(const QPointF& pixel) const { return pixel / zoom_ + origin_; }
  void zoom(double factor, const QPointF& pixel);
  void bring_into_view(const QRectF& box);
  int node_at(const QPointF& at) const;
  int edge_at(const QPointF& at) const;
  void step(int key, bool of_second);
  std::optional<int> neighbour(int node, int key) const;
  void open_group(int node);

  PlacedGraphPtr graph_;
  GraphMarks marks_;
  double zoom_ = 1;
  QPointF origin_;  // graph coordinates of the top left pixel
  bool fitted_ = true;
  std::optional<QPointF> drag_from_;
  QPointF press_at_;
};

}  // namespace fuselab::gui
