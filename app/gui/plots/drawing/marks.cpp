// SPDX-License-Identifier: Apache-2.0
#include "app/gui/plots/drawing/marks.h"

#include <QImage>
#include <algorithm>
#include <cmath>
#include <limits>

namespace fuselab::gui {
namespace {

constexpr double kMarkerRadius = 4;
constexpr std::size_t kCloudSize = 2000;  // more points than this are set as pixels
constexpr std::size_t kLabelledBars = 48;
constexpr std::size_t kMarkedPoints = 32;  // of a line; with more they touch

QPolygonF star(const QPointF& center, double radius, int corners, double turn) {
  QPolygonF polygon;
  for (int corner = 0; corner < corners; ++corner) {
    const double angle = turn + 2 * M_PI * corner / corners;
    polygon << center + QPointF(radius * std::cos(angle), radius * std::sin(angle));
  }
  return polygon;
}

void paint_whisker(QPainter& painter, double x, double low, double high, double half_width) {
  painter.drawLine(QPointF(x, low), QPointF(x, high));
  painter.drawLine(QPointF(x - half_width, low), QPointF(x + half_width, low));
  painter.drawLine(QPointF(x - half_width, high), QPointF(x + half_width, high));
}

bool has_interval(const PlotPoint& point) {
  return std::isfinite(point.low) && std::isfinite(point.high);
}

// Every point as a 3×3 square in an image of the frame: no path, no anti-aliasing, no point drawn twice.
void paint_cloud(QPainter& painter, const PlotSpec& spec, const PlotLayout& layout, const Series& series, const QColor& color) {
  const double ratio = painter.device()->devicePixelRatioF();
  const QSize size(static_cast<int>(layout.frame.width() * ratio), static_cast<int>(layout.frame.height() * ratio));
  if (size.isEmpty()) return;
  QImage image(size, QImage::Format_ARGB32_Premultiplied);
  image.fill(Qt::transparent);
  const QRgb value = qPremultiply(color.rgba());
  const int reach = std::max(1, static_cast<int>(ratio));
  const AxisScale x = layout.x.with_pixels(0, size.width());
  const AxisScale y = layout.y.with_pixels(size.height(), 0);
  for (const PlotPoint& point : series.points) {
    if (!layout.x.can_show(point.x) || !layout.y.can_show(point.y)) continue;
    const double px = x.to_pixel(point.x), py = y.to_pixel(point.y);
    if (px < 0 || py < 0 || px >= size.width() || py >= size.height()) continue;
    const int column = static_cast<int>(px), row = static_cast<int>(py);
    for (int r = std::max(0, row - reach); r <= std::min(size.height() - 1, row + reach); ++r) {
      auto* line = reinterpret_cast<QRgb*>(image.scanLine(r));
      std::fill(line + std::max(0, column - reach), line + std::min(size.width() - 1, column + reach) + 1, value);
    }
  }
  Q_UNUSED(spec);
  painter.drawImage(layout.frame.topLeft(), [&] {
    image.setDevicePixelRatio(ratio);
    return image;
  }());
}

void paint_points(QPainter& painter, const PlotSpec& spec, const PlotLayout& layout, std::size_t index, const PlotState& state,
                  const ThemeColors& colors) {
  const Series& series = spec.series[index];
  const QColor color = colors.series_color(series.color);
  if (series.points.size() > kCloudSize) {
    paint_cloud(painter, spec, layout, series, color);
  } else {
    for (const PlotPoint& point : series.points) {
      if (!layout.x.can_show(point.x) || !layout.y.can_show(point.y)) continue;
      const QPointF center(layout.x.to_pixel(point.x), layout.y.to_pixel(point.y));
      painter.setPen(QPen(color, 1.4));
      if (has_interval(point)) paint_whisker(painter, center.x(), layout.y.to_pixel(point.low), layout.y.to_pixel(point.high), 4);
      painter.setPen(QPen(colors.surface, 1));
      painter.setBrush(color);
      paint_marker(painter, center, series.color, kMarkerRadius);
    }
  }
  if (state.selected_key.isEmpty()) return;
  painter.setBrush(Qt::NoBrush);
  painter.setPen(QPen(colors.text, 2));
  for (std::size_t point = 0; point < series.points.size(); ++point) {
    if (series.points[point].key == state.selected_key) painter.drawEllipse(position_of(spec, layout, {index, point}), 8, 8);
  }
}

void paint_line(QPainter& painter, const PlotLayout& layout, const Series& series, const ThemeColors& colors) {
  QPolygonF line;
  line.reserve(static_cast<qsizetype>(series.points.size()) * (series.mark == Mark::kSteps ? 2 : 1));
  for (const PlotPoint& point : series.points) {
    if (!layout.x.can_show(point.x) || !layout.y.can_show(point.y)) continue;
    const QPointF at(layout.x.to_pixel(point.x), layout.y.to_pixel(point.y));
    if (series.mark == Mark::kSteps && !line.isEmpty()) line << QPointF(at.x(), line.last().y());
    line << at;
  }
  QPen pen(colors.series_color(series.color), 2);
  pen.setJoinStyle(Qt::RoundJoin);
  if (series.dashed) pen.setStyle(Qt::DashLine);
  const QPolygonF thin = thin_to_columns(line);
  // Thousands of strokes over each other cost seconds when smoothed and look the same without.
  const bool dense = thin.size() > static_cast<qsizetype>(kCloudSize);
  if (dense) pen = QPen(pen.color(), 0);
  painter.setRenderHint(QPainter::Antialiasing, !dense);
  painter.setPen(pen);
  painter.setBrush(Qt::NoBrush);
  painter.drawPolyline(thin);
  painter.setRenderHint(QPainter::Antialiasing);
  painter.setPen(QPen(colors.series_color(series.color), 1.2));
  if (series.points.size() > kCloudSize) return;
  for (const PlotPoint& point : series.points) {
    if (!has_interval(point)) continue;
    paint_whisker(painter, layout.x.to_pixel(point.x), layout.y.to_pixel(point.low), layout.y.to_pixel(point.high), 3);
  }
  if (!has_markers(series)) return;
  painter.setBrush(colors.series_color(series.color));
  for (const PlotPoint& point : series.points) {
    if (layout.x.can_show(point.x) && layout.y.can_show(point.y))
      paint_marker(painter, {layout.x.to_pixel(point.x), layout.y.to_pixel(point.y)}, series.color, kMarkerRadius - 1);
  }
}

void paint_crosses(QPainter& painter, const PlotSpec& spec, const PlotLayout& layout, std::size_t index,
                   const ThemeColors& colors) {
  const Series& series = spec.series[index];
  painter.setPen(QPen(colors.series_color(series.color), 1.6));
  double last = -std::numeric_limits<double>::infinity();
  for (std::size_t point = 0; point < series.points.size(); ++point) {
    const QPointF center = position_of(spec, layout, {index, point});
    if (!layout.x.can_show(series.points[point].x) || std::fabs(center.x() - last) < 1) continue;  // one per pixel
    paint_cross(painter, center, kMarkerRadius - 0.5);
    last = center.x();
  }
}

void paint_bars(QPainter& painter, const PlotSpec& spec, const PlotLayout& layout, std::size_t index, const PlotState& state,
                const ThemeColors& colors) {
  const Series& series = spec.series[index];
  const QColor color = colors.series_color(series.color);
  for (std::size_t i = 0; i < series.points.size(); ++i) {
    const PlotPoint& point = series.points[i];
    if (!layout.y.can_show(point.y)) continue;
    const QRectF bar = bar_of(spec, layout, {index, i});
    QColor fill = color;
    if (series.dashed) fill.setAlphaF(0.18F);  // a bound, not a measurement: hollow
    painter.setPen(QPen(color, series.dashed ? 1.4 : 1, series.dashed ? Qt::DashLine : Qt::SolidLine));
    painter.setBrush(fill);
    painter.drawRect(bar);
    if (has_interval(point)) {
      painter.setPen(QPen(colors.text, 1.4));
      paint_whisker(painter, bar.center().x(), layout.y.to_pixel(point.low), layout.y.to_pixel(point.high),
                    std::min(5.0, bar.width() / 3));
    }
    if (!state.selected_key.isEmpty() && point.key == state.selected_key && series.points.size() < kLabelledBars) {
      painter.setBrush(Qt::NoBrush);
      painter.setPen(QPen(colors.text, 2));
      painter.drawRect(bar);
    }
  }
}

}  // namespace

bool has_markers(const Series& series) {
  return series.mark == Mark::kLine && !series.dashed && series.points.size() > 2 && series.points.size() <= kMarkedPoints;
}

void paint_marker(QPainter& painter, const QPointF& center, int shape, double radius) {
  switch (shape % 6) {
    case 0: painter.drawEllipse(center, radius, radius); return;
    case 1: painter.drawRect(QRectF(center.x() - radius, center.y() - radius, 2 * radius, 2 * radius)); return;
    case 2: painter.drawPolygon(star(center, radius * 1.3, 3, -M_PI / 2)); return;
    case 3: painter.drawPolygon(star(center, radius * 1.3, 4, 0)); return;
    case 4: painter.drawPolygon(star(center, radius * 1.3, 3, M_PI / 2)); return;
    default: painter.drawPolygon(star(center, radius * 1.2, 6, 0)); return;
  }
}

void paint_cross(QPainter& painter, const QPointF& center, double radius) {
  painter.drawLine(center - QPointF(radius, radius), center + QPointF(radius, radius));
  painter.drawLine(center - QPointF(radius, -radius), center + QPointF(radius, -radius));
}

QPolygonF thin_to_columns(const QPolygonF& line) {
  constexpr qsizetype kWorthIt = 4096;
  if (line.size() < kWorthIt) return line;
  QPolygonF thin;
  qsizetype begin = 0;
  while (begin < line.size()) {
    const int column = static_cast<int>(std::floor(line[begin].x()));
    qsizetype lowest = begin, highest = begin, end = begin;
    for (; end < line.size() && static_cast<int>(std::floor(line[end].x())) == column; ++end) {
      if (line[end].y() < line[lowest].y()) lowest = end;
      if (line[end].y() > line[highest].y()) highest = end;
    }
    qsizetype last = -1;
    for (qsizetype index : {begin, std::min(lowest, highest), std::max(lowest, highest), end - 1}) {
      if (index != last) thin << line[index];
      last = index;
    }
    begin = end;
  }
  return thin;
}

void paint_series(QPainter& painter, const PlotSpec& spec, const PlotLayout& layout, std::size_t index, const PlotState& state,
                  const ThemeColors& colors) {
  switch (spec.series[index].mark) {
    case Mark::kPoints: return paint_points(painter, spec, layout, index, state, colors);
    case Mark::kBars: return paint_bars(painter, spec, layout, index, state, colors);
    case Mark::kCrosses: return paint_crosses(painter, spec, layout, index, colors);
    case Mark::kLine:
    case Mark::kSteps: return paint_line(painter, layout, spec.series[index], colors);
  }
}

void paint_names(QPainter& painter, const PlotSpec& spec, const PlotLayout& layout, const ThemeColors& colors) {
  constexpr std::size_t kMostNames = 40;
  constexpr double kGap = kMarkerRadius + 3;
  const QFontMetricsF metrics(painter.font());
  std::vector<QRectF> taken;
  std::vector<QPointF> dots;
  for (const Series& series : spec.series) {
    if (series.mark != Mark::kPoints || series.points.size() > kCloudSize) continue;
    for (const PlotPoint& point : series.points) dots.emplace_back(layout.x.to_pixel(point.x), layout.y.to_pixel(point.y));
  }
  painter.setPen(colors.muted);
  for (const Series& series : spec.series) {
    for (const PlotPoint& point : series.points) {
      const bool shown = layout.x.can_show(point.x) && layout.y.can_show(point.y);
      if (series.mark != Mark::kPoints || point.name.isEmpty() || !shown || taken.size() == kMostNames) continue;
      const QPointF at(layout.x.to_pixel(point.x), layout.y.to_pixel(point.y));
      const QSizeF size(metrics.horizontalAdvance(point.name) + 2, metrics.height());
      const QRectF right(QPointF(at.x() + kGap, at.y() - size.height() / 2), size);
      const QRectF left(QPointF(at.x() - kGap - size.width(), at.y() - size.height() / 2), size);
      for (const QRectF& box : {right, left}) {
        const auto meets = [&](const QRectF& other) { return other.intersects(box); };
        const auto lies_in = [&](const QPointF& dot) { return box.contains(dot); };
        if (!layout.frame.contains(box) || std::any_of(taken.begin(), taken.end(), meets) ||
            std::any_of(dots.begin(), dots.end(), lies_in))
          continue;
        painter.drawText(box, Qt::AlignCenter, point.name);
        taken.push_back(box);
        break;
      }
    }
  }
}

}  // namespace fuselab::gui
