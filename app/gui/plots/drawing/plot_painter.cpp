// SPDX-License-Identifier: Apache-2.0
#include "app/gui/plots/drawing/plot_painter.h"

#include <QFontMetricsF>
#include <algorithm>
#include <cmath>

#include "app/gui/plots/drawing/marks.h"

namespace fuselab::gui {
namespace {

constexpr double kPadding = 10;
constexpr double kValueSpacing = 34;  // pixels between two labels of the vertical axis, about
constexpr int kLegendRows = 4;        // at most: a legend must not displace the plot, and four is what a roofline of one device has
constexpr double kTickLength = 4;
constexpr double kCrossHeight = 6;    // of crosses above the lower edge
constexpr double kGroupWidth = 0.74;  // share of a category that its bars fill

int tick_count(double pixels, double each) {
  return std::max(2, static_cast<int>(pixels / each));
}

int bar_series(const PlotSpec& spec) {
  return static_cast<int>(
      std::count_if(spec.series.begin(), spec.series.end(), [](const Series& s) { return s.mark == Mark::kBars; }));
}

int bar_position(const PlotSpec& spec, std::size_t series) {
  return static_cast<int>(std::count_if(spec.series.begin(), spec.series.begin() + static_cast<std::ptrdiff_t>(series),
                                        [](const Series& s) { return s.mark == Mark::kBars; }));
}

// Every lane is named; of values there are as many labels as fit.
int value_ticks(const PlotAxis& axis, double pixels) {
  return axis.scale == Scale::kCategory ? std::max<int>(1, static_cast<int>(axis.categories.size()))
                                        : tick_count(pixels, kValueSpacing);
}

double widest_label(const PlotAxis& axis, const AxisScale& scale, const QFontMetricsF& metrics, double pixels) {
  double widest = 0;
  for (double value : scale.ticks(value_ticks(axis, pixels), axis.binary))
    widest = std::max(widest, metrics.horizontalAdvance(value_text(axis, value)));
  return widest;
}

double legend_width(const Series& series, const QFontMetricsF& metrics) {
  return 22 + metrics.horizontalAdvance(series.name) + 14;
}

double legend_row_height(const QFontMetricsF& metrics) {
  return metrics.height() + 2;
}

bool is_in_legend(const Series& series) {
  return series.in_legend && !series.points.empty();
}

int legend_rows(const PlotSpec& spec, const QFontMetricsF& metrics, double pixels) {
  int rows = 1;
  double x = 0;
  for (const Series& series : spec.series) {
    if (!is_in_legend(series)) continue;
    const double width = legend_width(series, metrics);
    if (x > 0 && x + width > pixels) {
      ++rows;
      x = 0;
    }
    x += width;
  }
  return std::min(rows, kLegendRows);
}

// `area` is the legend's first row.
void paint_legend(QPainter& painter, const PlotSpec& spec, const ThemeColors& colors, QRectF area) {
  const QFontMetricsF metrics(painter.font());
  double x = area.left();
  int row = 1;
  for (const Series& series : spec.series) {
    if (!is_in_legend(series)) continue;
    const double width = legend_width(series, metrics);
    if (x > area.left() && x + width > area.right()) {
      if (++row > kLegendRows) break;
      area.translate(0, legend_row_height(metrics));
      x = area.left();
    }
    const QColor color = colors.series_color(series.color);
    const QPointF center(x + 8, area.center().y());
    if (series.mark == Mark::kLine || series.mark == Mark::kSteps) {
      painter.setPen(QPen(color, 2, series.dashed ? Qt::DashLine : Qt::SolidLine));
      painter.drawLine(center - QPointF(8, 0), center + QPointF(8, 0));
      painter.setBrush(color);
      if (has_markers(series)) paint_marker(painter, center, series.color, 3);
    } else {
      QColor fill = color;
      if (series.dashed) fill.setAlphaF(0.18F);
      painter.setPen(QPen(color, 1.2, series.dashed ? Qt::DashLine : Qt::SolidLine));
      painter.setBrush(fill);
      if (series.mark == Mark::kCrosses) {
        painter.setPen(QPen(color, 1.6));
        paint_cross(painter, center, 3.5);
      } else if (series.mark == Mark::kBars) {
        painter.drawRect(QRectF(center.x() - 6, center.y() - 5, 12, 10));
      } else {
        paint_marker(painter, center, series.color, 4);
      }
    }
    painter.setPen(colors.text);
    painter.drawText(QRectF(x + 20, area.top(), width, area.height()), Qt::AlignVCenter | Qt::AlignLeft, series.name);
    x += width;
  }
}

// Names of categories that are paths take two lines: "attention/" above "softmax".
double label_height(const PlotSpec& spec, const QFontMetricsF& metrics) {
  const auto is_path = [](const QString& name) { return name.contains(QLatin1Char('/')); };
  const bool paths = spec.x.scale == Scale::kCategory && std::any_of(spec.x.categories.begin(), spec.x.categories.end(), is_path);
  return metrics.height() * (paths ? 2 : 1);
}

QString category_label(const QString& name, const QFontMetricsF& metrics, double width) {
  const qsizetype cut = name.lastIndexOf(QLatin1Char('/')) + 1;
  const QString last = metrics.elidedText(name.mid(cut), Qt::ElideRight, width);
  return cut == 0 ? last : metrics.elidedText(name.left(cut), Qt::ElideMiddle, width) + QLatin1Char('\n') + last;
}

void paint_x_axis(QPainter& painter, const PlotSpec& spec, const PlotLayout& layout, const ThemeColors& colors,
                  const QRectF& area) {
  const QFontMetricsF metrics(painter.font());
  double free_from = -1e9;
  const bool category = spec.x.scale == Scale::kCategory;
  const int count = std::max<int>(1, static_cast<int>(spec.x.categories.size()));
  const double slot = layout.frame.width() / count;
  for (double value : layout.x.ticks(tick_count(layout.frame.width(), category || spec.x.whole ? 40 : 80), spec.x.binary)) {
    if (spec.x.whole && value != std::round(value)) continue;
    const double x = layout.x.to_pixel(value);
    if (x < layout.frame.left() - 1 || x > layout.frame.right() + 1) continue;
    if (!category) {
      painter.setPen(QPen(colors.grid, 1));
      painter.drawLine(QPointF(x, layout.frame.top()), QPointF(x, layout.frame.bottom()));
    }
    QString label = value_text(spec.x, value);
    if (category) label = category_label(label, metrics, std::max(48.0, slot - 6));
    const double half = metrics.size(0, label).width() / 2 + 3;
    const double left = std::min(x - half, area.right() - 2 * half);  // the last label stays inside
    if (left < free_from || label.isEmpty()) continue;
    painter.setPen(colors.muted);
    painter.drawText(QRectF(left, layout.frame.bottom() + kTickLength, 2 * half, label_height(spec, metrics)),
                     Qt::AlignHCenter | Qt::AlignTop, label);
    free_from = left + 2 * half;
  }
  if (spec.x.title.isEmpty()) return;
  painter.setPen(colors.muted);
  painter.drawText(QRectF(layout.frame.left(), layout.frame.bottom() + kTickLength + label_height(spec, metrics),
                          layout.frame.width(), metrics.height() + 4),
                   Qt::AlignCenter, spec.x.title);
}

void paint_y_axis(QPainter& painter, const PlotSpec& spec, const PlotLayout& layout, const ThemeColors& colors,
                  const QRectF& area) {
  const QFontMetricsF metrics(painter.font());
  for (double value : layout.y.ticks(value_ticks(spec.y, layout.frame.height()), spec.y.binary)) {
    const double y = layout.y.to_pixel(value);
    if (y < layout.frame.top() - 1 || y > layout.frame.bottom() + 1) continue;
    painter.setPen(QPen(colors.grid, 1));
    painter.drawLine(QPointF(layout.frame.left(), y), QPointF(layout.frame.right(), y));
    painter.setPen(colors.muted);
    painter.drawText(
        QRectF(area.left(), y - metrics.height() / 2, layout.frame.left() - area.left() - kTickLength - 2, metrics.height()),
        Qt::AlignRight | Qt::AlignVCenter, value_text(spec.y, value));
  }
  if (spec.y.title.isEmpty()) return;
  painter.save();
  painter.translate(area.left() + metrics.height() / 2 + 2, layout.frame.center().y());
  painter.rotate(-90);
  painter.setPen(colors.muted);
  painter.drawText(QRectF(-layout.frame.height() / 2, -metrics.height() / 2, layout.frame.height(), metrics.height()),
                   Qt::AlignCenter, spec.y.title);
  painter.restore();
}

void paint_crosshair(QPainter& painter, const PlotSpec& spec, const PlotLayout& layout, const PlotState& state,
                     const ThemeColors& colors) {
  if (!state.hovered) return;
  const QPointF at = position_of(spec, layout, *state.hovered);
  painter.setPen(QPen(colors.muted, 1, Qt::DotLine));
  painter.drawLine(QPointF(layout.frame.left(), at.y()), QPointF(layout.frame.right(), at.y()));
  painter.drawLine(QPointF(at.x(), layout.frame.top()), QPointF(at.x(), layout.frame.bottom()));
}

}  // namespace

PlotLayout layout_plot(const PlotSpec& spec, const QRectF& area, const QFont& font) {
  const QFontMetricsF metrics(font);
  const double line = metrics.height();
  QRectF inner = area.adjusted(kPadding, kPadding, -kPadding - 6, -kPadding);
  inner.setBottom(inner.bottom() - label_height(spec, metrics) - kTickLength -
                  (spec.x.title.isEmpty() ? 0 : line + 4));  // labels, title
  const AxisScale y = fit_y(spec, inner.bottom(), inner.top());
  const double labels = widest_label(spec.y, y, metrics, inner.height()) + kTickLength + 6;
  inner.setLeft(inner.left() + labels + (spec.y.title.isEmpty() ? 0 : line + 4));
  inner.setTop(inner.top() + legend_rows(spec, metrics, inner.width()) * legend_row_height(metrics) + 8);
  if (inner.width() < 10) inner.setWidth(10);
  if (inner.height() < 10) inner.setHeight(10);
  return {inner, fit_x(spec, inner.left(), inner.right()), fit_y(spec, inner.bottom(), inner.top())};
}

void paint_plot(QPainter& painter, const PlotSpec& spec, const PlotLayout& layout, const PlotState& state,
                const ThemeColors& colors, const QRectF& area) {
  painter.setRenderHint(QPainter::Antialiasing);
  painter.fillRect(area, colors.surface);
  if (is_empty(spec)) {
    painter.setPen(colors.muted);
    painter.drawText(area.adjusted(24, 24, -24, -24), Qt::AlignCenter | Qt::TextWordWrap, spec.empty_text);
    return;
  }
  const QRectF inner = area.adjusted(kPadding, kPadding, -kPadding, -kPadding);
  paint_legend(painter, spec, colors,
               QRectF(layout.frame.left(), inner.top(), layout.frame.width(), legend_row_height(QFontMetricsF(painter.font()))));
  paint_x_axis(painter, spec, layout, colors, inner);
  paint_y_axis(painter, spec, layout, colors, inner);
  painter.save();
  painter.setClipRect(layout.frame.adjusted(-1, -1, 1, 1));
  for (std::size_t index = 0; index < spec.series.size(); ++index) paint_series(painter, spec, layout, index, state, colors);
  paint_names(painter, spec, layout, colors);
  paint_crosshair(painter, spec, layout, state, colors);
  painter.restore();
  painter.setBrush(Qt::NoBrush);
  painter.setPen(QPen(state.focused ? colors.accent : colors.border, state.focused ? 2 : 1));
  painter.drawRect(layout.frame);
}

QRectF bar_of(const PlotSpec& spec, const PlotLayout& layout, PointRef ref) {
  const PlotPoint& point = spec.series[ref.series].points[ref.point];
  const double slot = layout.x.to_pixel(1) - layout.x.to_pixel(0);
  const double width = std::max(1.0, slot * kGroupWidth / std::max(1, bar_series(spec)));
  const double left = layout.x.to_pixel(point.x) - slot * kGroupWidth / 2 + bar_position(spec, ref.series) * width;
  const double base = layout.y.scale() == Scale::kLog ? layout.frame.bottom() : layout.y.to_pixel(0);
  const double top = layout.y.to_pixel(point.y);
  return QRectF(left, std::min(base, top), std::max(1.0, width - 2), std::fabs(base - top));
}

QPointF position_of(const PlotSpec& spec, const PlotLayout& layout, PointRef ref) {
  const Series& series = spec.series[ref.series];
  const PlotPoint& point = series.points[ref.point];
  if (series.mark == Mark::kBars) return {bar_of(spec, layout, ref).center().x(), layout.y.to_pixel(point.y)};
  if (series.mark == Mark::kCrosses) return {layout.x.to_pixel(point.x), layout.frame.bottom() - kCrossHeight};
  return {layout.x.to_pixel(point.x), layout.y.to_pixel(point.y)};
}

std::optional<PointRef> point_at(const PlotSpec& spec, const PlotLayout& layout, const QPointF& position, double reach) {
  std::optional<PointRef> best;
  double best_distance = reach * reach;
  for (std::size_t s = 0; s < spec.series.size(); ++s) {
    const Series& series = spec.series[s];
    for (std::size_t p = 0; p < series.points.size(); ++p) {
      const PlotPoint& point = series.points[p];
      const bool has_place = series.mark == Mark::kCrosses || layout.y.can_show(point.y);
      if (!layout.x.can_show(point.x) || !has_place) continue;
      const PointRef ref{s, p};
      if (series.mark == Mark::kBars && bar_of(spec, layout, ref).contains(position)) return ref;
      const QPointF offset = position_of(spec, layout, ref) - position;
      const double distance = offset.x() * offset.x() + offset.y() * offset.y();
      if (distance < best_distance) {
        best_distance = distance;
        best = ref;
      }
    }
  }
  return best;
}

}  // namespace fuselab::gui
