// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QWidget>

#include "app/gui/plots/drawing/plot_painter.h"

namespace fuselab::gui {

// Shows one PlotSpec and lets the user look around: wheel zooms at the pointer, dragging moves, Shift+drag zooms to a box,
// double click or Home shows all; arrows step from point to point, Shift+arrows move, + and - zoom, Enter chooses.
// Owns its copy of the data. GUI thread. Painting is raster only.
class PlotCanvas : public QWidget {
  Q_OBJECT

 public:
  explicit PlotCanvas(QWidget* parent = nullptr);

  void set_spec(PlotSpec spec);  // keeps the zoom when the axes stay the same
  const PlotSpec& spec() const { return spec_; }
  void select(const QString& key);
  const PlotState& state() const { return state_; }
  const PlotLayout& plot_layout() const { return layout_; }
  bool zoomed() const { return zoomed_; }

  void show_all();
  void zoom(double factor, const QPointF& center);
  void pan(const QPointF& pixels);

  QSize sizeHint() const override { return {480, 320}; }
  QSize minimumSizeHint() const override { return {220, 160}; }

 signals:
  void point_chosen(const QString& key);
  void view_changed();

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
  void focusInEvent(QFocusEvent* event) override;
  void focusOutEvent(QFocusEvent* event) override;

 private:
  void relayout();
  void hover(std::optional<PointRef> ref);
  void step(int direction);
  void choose(PointRef ref);
  QString describe(PointRef ref) const;

  PlotSpec spec_;
  PlotLayout layout_;
  PlotState state_;
  bool zoomed_ = false;
  std::optional<QPointF> drag_from_;
  QPointF press_at_;
  QRectF zoom_box_;
};

}  // namespace fuselab::gui
