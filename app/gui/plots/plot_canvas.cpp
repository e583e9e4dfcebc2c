// SPDX-License-Identifier: Apache-2.0
#include "app/gui/plots/plot_canvas.h"

#include <QAccessible>
#include <QKeyEvent>
#include <QMouseEvent>
#include <QPainter>
#include <QToolTip>
#include <QWheelEvent>
#include <algorithm>
#include <cmath>

namespace fuselab::gui {
namespace {

constexpr double kHoverReach = 14;
constexpr double kZoomStep = 0.8;
constexpr double kPanStep = 40;

bool same_axis(const PlotAxis& a, const PlotAxis& b) {
  return a.scale == b.scale && a.title == b.title && a.categories == b.categories;
}

}  // namespace

PlotCanvas::PlotCanvas(QWidget* parent) : QWidget(parent) {
  setMouseTracking(true);
  setFocusPolicy(Qt::StrongFocus);
  setAttribute(Qt::WA_OpaquePaintEvent);
  setAccessibleName(tr("Plot"));
}

void PlotCanvas::set_spec(PlotSpec spec) {
  const bool keep = zoomed_ && same_axis(spec.x, spec_.x) && same_axis(spec.y, spec_.y);
  const AxisScale x = layout_.x, y = layout_.y;
  spec_ = std::move(spec);
  state_.hovered.reset();
  zoomed_ = false;
  relayout();
  if (keep) {
    layout_.x = layout_.x.with_range(x.low(), x.high());
    layout_.y = layout_.y.with_range(y.low(), y.high());
    zoomed_ = true;
  }
  setAccessibleName(spec_.title.isEmpty() ? tr("Plot") : tr("Plot: %1").arg(spec_.title));
  setAccessibleDescription(tr("Arrow keys step through the points. The table beside it holds the same data."));
  update();
}

void PlotCanvas::select(const QString& key) {
  state_.selected_key = key;
  update();
}

void PlotCanvas::relayout() {
  const AxisScale x = layout_.x, y = layout_.y;
  layout_ = layout_plot(spec_, rect(), font());
  if (!zoomed_) return;
  layout_.x = layout_.x.with_range(x.low(), x.high());
  layout_.y = layout_.y.with_range(y.low(), y.high());
}

void PlotCanvas::show_all() {
  zoomed_ = false;
  relayout();
  update();
  emit view_changed();
}

void PlotCanvas::zoom(double factor, const QPointF& center) {
  zoomed_ = true;
  layout_.x = layout_.x.zoomed(factor, center.x());
  // The height of bars is only readable from zero, so they zoom sideways.
  const bool bars = !spec_.series.empty() && spec_.series.front().mark == Mark::kBars;
  if (!bars) layout_.y = layout_.y.zoomed(factor, center.y());
  update();
  emit view_changed();
}

void PlotCanvas::pan(const QPointF& pixels) {
  zoomed_ = true;
  layout_.x = layout_.x.panned(pixels.x());
  layout_.y = layout_.y.panned(pixels.y());
  update();
  emit view_changed();
}

bool PlotCanvas::event(QEvent* event) {
  if (event->type() == QEvent::PaletteChange || event->type() == QEvent::FontChange) relayout();
  return QWidget::event(event);
}

void PlotCanvas::paintEvent(QPaintEvent* /*event*/) {
  QPainter painter(this);
  const ThemeColors& colors = colors_for(this);
  paint_plot(painter, spec_, layout_, state_, colors, rect());
  if (zoom_box_.isEmpty()) return;
  QColor fill = colors.accent;
  fill.setAlphaF(0.15F);
  painter.setBrush(fill);
  painter.setPen(QPen(colors.accent, 1));
  painter.drawRect(zoom_box_);
}

void PlotCanvas::resizeEvent(QResizeEvent* /*event*/) {
  relayout();
}

void PlotCanvas::wheelEvent(QWheelEvent* event) {
  const double notches = event->angleDelta().y() / 120.0;
  if (notches != 0) zoom(std::pow(kZoomStep, notches), event->position());
  event->accept();
}

void PlotCanvas::mousePressEvent(QMouseEvent* event) {
  const auto under = event->button() == Qt::RightButton ? point_at(spec_, layout_, event->position(), kHoverReach) : std::nullopt;
  if (under) choose(*under);  // the menu is about it
  if (event->button() != Qt::LeftButton) return;
  press_at_ = event->position();
  drag_from_ = press_at_;
}

void PlotCanvas::mouseMoveEvent(QMouseEvent* event) {
  if (!drag_from_) {
    hover(point_at(spec_, layout_, event->position(), kHoverReach));
    return;
  }
  if (event->modifiers().testFlag(Qt::ShiftModifier)) {
    zoom_box_ = QRectF(press_at_, event->position()).normalized() & layout_.frame;
    update();
    return;
  }
  if ((event->position() - press_at_).manhattanLength() < 4) return;
  pan(event->position() - *drag_from_);
  drag_from_ = event->position();
}

void PlotCanvas::mouseReleaseEvent(QMouseEvent* event) {
  if (event->button() != Qt::LeftButton) return;
  drag_from_.reset();
  if (zoom_box_.width() > 4 && zoom_box_.height() > 4) {
    zoomed_ = true;
    const double low = layout_.y.to_value(zoom_box_.bottom()), high = layout_.y.to_value(zoom_box_.top());
    layout_.x = layout_.x.with_range(layout_.x.to_value(zoom_box_.left()), layout_.x.to_value(zoom_box_.right()));
    layout_.y = layout_.y.with_range(low, high);
    emit view_changed();
  } else if ((event->position() - press_at_).manhattanLength() < 4) {
    if (const auto ref = point_at(spec_, layout_, event->position(), kHoverReach)) choose(*ref);
  }
  zoom_box_ = QRectF();
  update();
}

void PlotCanvas::mouseDoubleClickEvent(QMouseEvent* /*event*/) {
  show_all();
}

void PlotCanvas::leaveEvent(QEvent* /*event*/) {
  hover(std::nullopt);
}

void PlotCanvas::keyPressEvent(QKeyEvent* event) {
  const bool move = event->modifiers().testFlag(Qt::ShiftModifier);
  switch (event->key()) {
    case Qt::Key_Left: return move ? pan({kPanStep, 0}) : step(-1);
    case Qt::Key_Right: return move ? pan({-kPanStep, 0}) : step(1);
    case Qt::Key_Up: return move ? pan({0, kPanStep}) : step(-1);
    case Qt::Key_Down: return move ? pan({0, -kPanStep}) : step(1);
    case Qt::Key_Plus:
    case Qt::Key_Equal: return zoom(kZoomStep, layout_.frame.center());
    case Qt::Key_Minus: return zoom(1 / kZoomStep, layout_.frame.center());
    case Qt::Key_Home:
    case Qt::Key_0: return show_all();
    case Qt::Key_Return:
    case Qt::Key_Enter:
      if (state_.hovered) choose(*state_.hovered);
      return;
    case Qt::Key_Escape: hover(std::nullopt); return QWidget::keyPressEvent(event);
    default: QWidget::keyPressEvent(event);
  }
}

void PlotCanvas::focusInEvent(QFocusEvent* event) {
  state_.focused = event->reason() == Qt::TabFocusReason || event->reason() == Qt::BacktabFocusReason;
  update();
}

void PlotCanvas::focusOutEvent(QFocusEvent* /*event*/) {
  state_.focused = false;
  update();
}

void PlotCanvas::hover(std::optional<PointRef> ref) {
  if (ref == state_.hovered) return;
  state_.hovered = ref;
  if (ref) {
    const QString text = describe(*ref);
    QToolTip::showText(mapToGlobal(position_of(spec_, layout_, *ref).toPoint()), text, this);
    setAccessibleDescription(text);
  } else {
    QToolTip::hideText();
  }
  update();
}

// Walks all points series by series, so that every value can be reached without a mouse.
void PlotCanvas::step(int direction) {
  std::vector<PointRef> all;
  for (std::size_t s = 0; s < spec_.series.size(); ++s) {
    for (std::size_t p = 0; p < spec_.series[s].points.size(); ++p) all.push_back({s, p});
  }
  if (all.empty()) return;
  const auto count = static_cast<std::ptrdiff_t>(all.size());
  std::ptrdiff_t next = direction > 0 ? 0 : count - 1;
  if (state_.hovered) {
    const auto here = std::find(all.begin(), all.end(), *state_.hovered) - all.begin();
    next = (here + direction + count) % count;
  }
  hover(all[static_cast<std::size_t>(next)]);
}

void PlotCanvas::choose(PointRef ref) {
  const QString& key = spec_.series[ref.series].points[ref.point].key;
  if (key.isEmpty()) return;
  select(key);
  emit point_chosen(key);
}

QString PlotCanvas::describe(PointRef ref) const {
  const Series& series = spec_.series[ref.series];
  const PlotPoint& point = series.points[ref.point];
  QString text = series.name;
  if (!point.label.isEmpty()) text += QLatin1Char('\n') + point.label;
  if (spec_.x.scale != Scale::kCategory) text += QStringLiteral("\n%1: %2").arg(spec_.x.title, value_text(spec_.x, point.x));
  if (std::isfinite(point.y)) text += QStringLiteral("\n%1: %2").arg(spec_.y.title, value_text(spec_.y, point.y));
  if (std::isfinite(point.low))
    text += tr("\n95 % interval: %1 to %2").arg(value_text(spec_.y, point.low), value_text(spec_.y, point.high));
  return text;
}

}  // namespace fuselab::gui
